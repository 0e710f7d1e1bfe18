// Package lexer cuts CUDA C++ into tokens that, put together again, are the source byte for byte, and removes comments.
package lexer

import "bytes"

// Kind says what a token is.
type Kind uint8

// The kinds of tokens. Literals reach to the end of their line when they are not closed.
const (
	Blank        Kind = iota // Spaces and tabs within a line.
	Newline                  // The end of a line.
	Splice                   // A backslash that joins a line to the next one, with that line's end.
	LineComment              // Without the end of its last line.
	BlockComment             // With whatever line breaks it holds.
	Identifier               // Keywords too.
	Number                   // A preprocessing number, digit separators included.
	String                   // With its quotes, without its prefix.
	RawString                // From the quote on, without its prefix.
	Char                     // A character literal.
	HeaderName               // What #include names, with its quotes or angle brackets.
	Punctuation              // One byte of anything else.
)

// Token is a piece of the source.
type Token struct {
	Kind        Kind
	Start, End  int
	Line        int  // Of its first byte; lines count from 1.
	Column      int  // In bytes, from 1.
	InDirective bool // Part of a preprocessing directive.
	FirstOnLine bool // Nothing but blanks and comments precede it on its line.
}

// Lexer reads tokens one after the other.
type Lexer struct {
	source    []byte
	position  int
	line      int
	lineStart int

	directive bool
	onlyBlank bool
	// header counts down the tokens in which a header name may follow: 2 after '#', 1 after 'include'.
	header int
	// raw is set after an identifier that makes the string which follows it at once a raw one.
	raw bool
}

// New returns a lexer at the start of source.
func New(source []byte) *Lexer {
	return &Lexer{source: source, line: 1, onlyBlank: true}
}

// Next returns the next token; ok is false at the end of the source.
func (l *Lexer) Next() (token Token, ok bool) {
	if l.position >= len(l.source) {
		return Token{}, false
	}
	token = Token{Start: l.position, Line: l.line, Column: l.position - l.lineStart + 1}
	raw := l.raw
	l.raw = false
	token.Kind, token.End = l.scan(raw)
	token.FirstOnLine = l.onlyBlank
	l.track(token)
	// The end of its line is not part of a directive.
	token.InDirective = l.directive
	l.advance(token)
	return token, true
}

// Text is the token's piece of the source.
func (l *Lexer) Text(token Token) []byte { return l.source[token.Start:token.End] }

// Name is an identifier without the line breaks that may split it.
func (l *Lexer) Name(token Token) string {
	text := l.Text(token)
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	var name []byte
	for i := 0; i < len(text); {
		if n := spliceLength(text, i); n > 0 {
			i += n
			continue
		}
		name = append(name, text[i])
		i++
	}
	return string(name)
}

func (l *Lexer) advance(token Token) {
	text := l.source[token.Start:token.End]
	if breaks := bytes.Count(text, []byte{'\n'}); breaks > 0 {
		l.line += breaks
		l.lineStart = token.Start + bytes.LastIndexByte(text, '\n') + 1
	}
	l.position = token.End
}

// track follows preprocessing directives, in which line breaks and header names mean something.
func (l *Lexer) track(token Token) {
	switch token.Kind {
	case Blank, LineComment, BlockComment, Splice:
		return
	case Newline:
		l.directive, l.onlyBlank, l.header = false, true, 0
		return
	case Punctuation:
		if l.onlyBlank && l.source[token.Start] == '#' {
			l.directive, l.onlyBlank, l.header = true, false, 2
			return
		}
	case Identifier:
		if l.header == 2 {
			switch l.Name(token) {
			case "include", "include_next", "import":
				l.header = 1
				return
			}
		}
		switch string(l.Text(token)) {
		case "R", "LR", "uR", "UR", "u8R":
			l.raw = true
		}
	}
	l.onlyBlank, l.header = false, 0
}

func (l *Lexer) scan(raw bool) (Kind, int) {
	s, i := l.source, l.position
	if n := newlineLength(s, i); n > 0 {
		return Newline, i + n
	}
	c := s[i]
	switch {
	case isBlank(c):
		for i < len(s) && isBlank(s[i]) && newlineLength(s, i) == 0 {
			i++
		}
		return Blank, i
	case c == '\\':
		if n := spliceLength(s, i); n > 0 {
			return Splice, i + n
		}
	case c == '/':
		switch next := skipSplices(s, i+1); {
		case next >= len(s):
		case s[next] == '/':
			return LineComment, lineCommentEnd(s, next+1)
		case s[next] == '*':
			return BlockComment, blockCommentEnd(s, next+1)
		}
	case l.header == 1 && (c == '<' || c == '"'):
		if end := headerNameEnd(s, i); end > 0 {
			return HeaderName, end
		}
	}
	switch {
	case c == '"':
		if raw {
			if end := rawStringEnd(s, i); end > 0 {
				return RawString, end
			}
		}
		return String, literalEnd(s, i, '"')
	case c == '\'':
		return Char, literalEnd(s, i, '\'')
	case isDigit(c):
		return Number, numberEnd(s, i)
	case c == '.':
		if next := skipSplices(s, i+1); next < len(s) && isDigit(s[next]) {
			return Number, numberEnd(s, i)
		}
	case isNameByte(c):
		for i++; ; i++ {
			next := skipSplices(s, i)
			if next >= len(s) || !isNameByte(s[next]) {
				return Identifier, i
			}
			i = next
		}
	}
	return Punctuation, i + 1
}

func lineCommentEnd(s []byte, i int) int {
	for i < len(s) && newlineLength(s, i) == 0 {
		i += max(1, spliceLength(s, i))
	}
	return i
}

func blockCommentEnd(s []byte, i int) int {
	for {
		star := bytes.IndexByte(s[i:], '*')
		if star < 0 {
			return len(s)
		}
		i += star + 1
		if end := skipSplices(s, i); end < len(s) && s[end] == '/' {
			return end + 1
		}
	}
}

func headerNameEnd(s []byte, i int) int {
	closing := byte('"')
	if s[i] == '<' {
		closing = '>'
	}
	for i++; i < len(s) && s[i] != '\n'; i++ {
		if s[i] == closing {
			return i + 1
		}
	}
	return 0
}

// rawStringEnd returns 0 if what starts at i is not a raw string after all.
func rawStringEnd(s []byte, i int) int {
	const longestDelimiter = 16
	head := s[i+1 : min(len(s), i+2+longestDelimiter)]
	open := bytes.IndexByte(head, '(')
	if open < 0 || bytes.ContainsAny(head[:open], " )\\\t\v\f\r\n\"") {
		return 0
	}
	closing := append(append([]byte{')'}, head[:open]...), '"')
	start := i + 2 + open
	end := bytes.Index(s[start:], closing)
	if end < 0 {
		return len(s)
	}
	return start + end + len(closing)
}

func literalEnd(s []byte, i int, quote byte) int {
	for i++; i < len(s); {
		switch c := s[i]; {
		case c == quote:
			return i + 1
		case c == '\\':
			if n := spliceLength(s, i); n > 0 {
				i += n
				continue
			}
			// Lines are joined before escapes are read, so a splice may stand between a backslash and what it escapes.
			i = skipSplices(s, i+1)
			if i < len(s) && s[i] != '\r' && s[i] != '\n' {
				i++
			}
		case c == '\n':
			return i
		case c == '\r':
			run := i
			for i < len(s) && s[i] == '\r' {
				i++
			}
			if i < len(s) && s[i] == '\n' {
				return run
			}
		default:
			i++
		}
	}
	return len(s)
}

func numberEnd(s []byte, i int) int {
	for {
		last := s[i]
		i++
		next := skipSplices(s, i)
		if next >= len(s) {
			return i
		}
		switch c := s[next]; {
		case isNameByte(c), c == '.':
		case (c == '+' || c == '-') && (last|0x20 == 'e' || last|0x20 == 'p'):
		case c == '\'':
			if digit := skipSplices(s, next+1); digit >= len(s) || !isNameByte(s[digit]) {
				return i
			}
		default:
			return i
		}
		i = next
	}
}

func newlineLength(s []byte, i int) int {
	switch {
	case s[i] == '\n':
		return 1
	case s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n':
		return 2
	}
	return 0
}

// spliceLength is that of a backslash and the end of its line; like the compiler, it overlooks blanks between the two.
func spliceLength(s []byte, i int) int {
	if s[i] != '\\' {
		return 0
	}
	for end := i + 1; end < len(s); end++ {
		if s[end] == '\n' {
			return end + 1 - i
		}
		if !isBlank(s[end]) {
			break
		}
	}
	return 0
}

func skipSplices(s []byte, i int) int {
	for i < len(s) {
		n := spliceLength(s, i)
		if n == 0 {
			break
		}
		i += n
	}
	return i
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c >= 0x80
}
