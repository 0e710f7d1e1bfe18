package lexer

import "bytes"

// StripComments removes the comments of source and keeps each of its line breaks, which become plain line feeds.
// What remains of a line is the same whatever a comment said, so that a change of words changes nothing further on.
// Literals stay as they are.
func StripComments(source []byte) []byte {
	s := stripper{lexer: New(source), out: make([]byte, 0, len(source))}
	for {
		token, ok := s.next()
		if !ok {
			break
		}
		s.add(token)
	}
	s.endLine()
	return s.out
}

type stripper struct {
	lexer  *Lexer
	ahead  []Token
	out    []byte
	floor  int  // Bytes of out that trimming must not touch: earlier lines and literals.
	pruned bool // A comment went from this line.

	// judged says that goesOn holds for the directive at hand, up to its next token.
	judged, goesOn bool
}

func (s *stripper) next() (Token, bool) {
	if len(s.ahead) > 0 {
		token := s.ahead[0]
		s.ahead = s.ahead[1:]
		return token, true
	}
	return s.lexer.Next()
}

func (s *stripper) add(token Token) {
	if !overlooked(token.Kind) {
		s.judged = false
	}
	switch text := s.lexer.Text(token); token.Kind {
	case Newline:
		s.endLine()
		s.newline()
	case Splice:
		s.out = append(s.out, '\\')
		s.newline()
	case Blank:
		// A carriage return alone would be a line break to some compilers and none to others.
		s.out = append(s.out, bytes.ReplaceAll(text, []byte{'\r'}, []byte{' '})...)
	case LineComment, BlockComment:
		s.comment(token, bytes.Count(text, []byte{'\n'}))
	case Identifier, Number:
		for i := 0; i < len(text); i++ {
			if n := spliceLength(text, i); n > 0 {
				s.out = append(s.out, '\\')
				s.newline()
				i += n - 1
				continue
			}
			s.out = append(s.out, text[i])
		}
	default:
		s.out = append(s.out, text...)
		if token.Kind == String || token.Kind == RawString || token.Kind == Char {
			s.floor = len(s.out)
		}
	}
}

func (s *stripper) comment(token Token, breaks int) {
	s.pruned = true
	if breaks == 0 {
		if token.Kind == BlockComment {
			s.out = append(s.out, ' ')
		}
		return
	}
	// A comment may carry a directive over several lines; plain line breaks would end it early.
	if token.Kind == BlockComment && token.InDirective && s.directiveGoesOn() {
		s.trim()
		s.out = append(s.out, ' ')
		for range breaks {
			s.out = append(s.out, '\\')
			s.newline()
		}
		s.pruned = true
		return
	}
	s.endLine()
	for range breaks {
		s.newline()
	}
	s.pruned = true
}

// directiveGoesOn reports whether anything but blanks and comments is left before the end of the directive's line.
func (s *stripper) directiveGoesOn() bool {
	for i := 0; !s.judged; i++ {
		if i == len(s.ahead) {
			token, ok := s.lexer.Next()
			if !ok {
				s.judged, s.goesOn = true, false
				break
			}
			s.ahead = append(s.ahead, token)
		}
		if kind := s.ahead[i].Kind; !overlooked(kind) {
			s.judged, s.goesOn = true, kind != Newline
		}
	}
	return s.goesOn
}

func overlooked(kind Kind) bool {
	return kind == Blank || kind == LineComment || kind == BlockComment || kind == Splice
}

func (s *stripper) trim() {
	for len(s.out) > s.floor && isBlank(s.out[len(s.out)-1]) {
		s.out = s.out[:len(s.out)-1]
	}
}

// endLine takes away the blanks that a comment leaves at the end of a line.
func (s *stripper) endLine() {
	if !s.pruned {
		return
	}
	s.trim()
	// Without anything after it, a backslash would join the next line to this one.
	if n := len(s.out); n > s.floor && s.out[n-1] == '\\' {
		s.out = append(s.out, "//"...)
	}
}

func (s *stripper) newline() {
	s.out = append(s.out, '\n')
	s.floor, s.pruned = len(s.out), false
}
