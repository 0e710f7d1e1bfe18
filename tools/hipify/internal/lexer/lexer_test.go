package lexer

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStripComments(t *testing.T) {
	for name, test := range map[string]struct{ source, want string }{
		"nothing":                         {"", ""},
		"no comment":                      {"int a;  \n\tint b;", "int a;  \n\tint b;"},
		"line comment":                    {"int a; // b\nint c;", "int a;\nint c;"},
		"line of comment alone":           {"  // b\nint c;", "\nint c;"},
		"comment at the end of the file":  {"int a; //", "int a;"},
		"block comment within a line":     {"a/*b*/c", "a c"},
		"block comment at a line's end":   {"a;\t /* b */ \nc", "a;\nc"},
		"block comment over lines":        {"a; /* b\n c\n */ d;\ne", "a;\n\n d;\ne"},
		"block comment, stars":            {"a/***/b/****\n*/c/**/", "a b\nc"},
		"block comment never closed":      {"a /* b\n c", "a\n"},
		"slash and star in a string":      {`"a // b /* c" // d`, `"a // b /* c"`},
		"escaped quote":                   {`"a\"// b" // c`, `"a\"// b"`},
		"escaped backslash":               {`"a\\" // b`, `"a\\"`},
		"quotes as characters":            {`'"' /*a*/ '\'' // "`, `'"'   '\''`},
		"prefixes of literals":            {`L"//" u8'/' U"/*" // x`, `L"//" u8'/' U"/*"`},
		"string over two lines":           {"\"a\\\n// b\" // c", "\"a\\\n// b\""},
		"splice between escape and quote": {"\"a\\\\\n\"// b\" // c", "\"a\\\\\n\"// b\""},
		"string never closed":             {"\"a // b\n// c", "\"a // b\n"},
		"apostrophe in an error":          {"#error don't // x\n// y", "#error don't // x\n"},
		"raw string":                      {`R"(a " // b)" // c`, `R"(a " // b)"`},
		"raw string with a delimiter":     {"u8R\"x(a)\" /*\n//)x\" // c", "u8R\"x(a)\" /*\n//)x\""},
		"raw string, escape is none":      {`R"(\)" // b`, `R"(\)"`},
		"raw string needs its prefix":     {`XR"(" // b`, `XR"("`},
		"raw string never closed":         {"R\"(a // b\n)", "R\"(a // b\n)"},
		"delimiter too long":              {`R"12345678901234567(" // b`, `R"12345678901234567("`},
		"digit separators":                {"1'000 // a\n0x1'f'/*b*/", "1'000\n0x1'f'/*b*/"},
		"digit separators, twice":         {"1'0'0 /*'*/ 2'0", "1'0'0   2'0"},
		"exponent":                        {"1e+5'0//a", "1e+5'0"},
		"line comment goes on":            {"a // b \\\n c\nd", "a\n\nd"},
		"blanks after the backslash":      {"a // b \\ \t\n c\nd", "a\n\nd"},
		"opening over two lines":          {"a /\\\n/ b\nc /\\\n* d */ e", "a\n\nc\n e"},
		"closing over two lines":          {"a /* b *\\\n/ c", "a\n c"},
		"macro goes on":                   {"#define A /* b */ \\\n c // d\ne", "#define A   \\\n c\ne"},
		"comment over lines in a macro":   {"#define A 1 /* b\n c */ + 2\nd", "#define A 1 \\\n + 2\nd"},
		"comment ends a macro":            {"#define A 1 /* b\n c */ // d\ne", "#define A 1\n\ne"},
		"comment before a directive":      {"/* a */ # define A /*\n*/ b", "  # define A \\\n b"},
		"backslash before a comment":      {"#define A \\ // b\nc", "#define A \\//\nc"},
		"header names":                    {"#include <a//b> // c\n#include \"a//b\" /*c*/\n#include \"d\\\" // e", "#include <a//b>\n#include \"a//b\"\n#include \"d\\\""},
		"less than is no header":          {"a <b // c>", "a <b"},
		"carriage returns":                {"a // b\r\n/* c\r\n*/ d\\\r\ne\r\n", "a\n\n d\\\ne\n"},
		"carriage return in a raw string": {"R\"(a\r\nb)\" // c\r\n", "R\"(a\r\nb)\"\n"},
		"NUL and invalid UTF-8":           {"\"\x00\xff\" // \x00\xff\n\xc3", "\"\x00\xff\"\n\xc3"},
		"division":                        {"a / b /c", "a / b /c"},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(StripComments([]byte(test.source)))
			require.Equal(t, test.want, got)
			checkInvariants(t, []byte(test.source))
		})
	}
}

func TestChangeOfWordsInCommentsChangesNothing(t *testing.T) {
	source := "int a; // ONE\n/* TWO */ int b; /* THREE\n THREE */ #define A /* FOUR */ 1 /* FIVE\n*/ 2 // SIX \\\n SEVEN\nint c; \\ // EIGHT\n"
	words := []string{"ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT"}
	want := StripComments([]byte(source))
	for _, word := range words {
		for _, other := range []string{"", "x", "it's", `"`, "cudaMalloc(&p, n); ", "\xff\x00"} {
			require.Equal(t, string(want), string(StripComments([]byte(strings.ReplaceAll(source, word, other)))), "%s becomes %q", word, other)
		}
	}
}

func TestTokensAreTheSource(t *testing.T) {
	source := "#include <a>\n  R\"(x\ny)\" b1 1.5e-3f /* c\n*/ 'd'\\\n+"
	type seen struct {
		kind         Kind
		text         string
		line, column int
	}
	var got []seen
	for l := New([]byte(source)); ; {
		token, ok := l.Next()
		if !ok {
			break
		}
		if token.Kind != Blank {
			got = append(got, seen{token.Kind, string(l.Text(token)), token.Line, token.Column})
		}
	}
	require.Equal(t, []seen{
		{Punctuation, "#", 1, 1}, {Identifier, "include", 1, 2}, {HeaderName, "<a>", 1, 10}, {Newline, "\n", 1, 13},
		{Identifier, "R", 2, 3}, {RawString, "\"(x\ny)\"", 2, 4}, {Identifier, "b1", 3, 5}, {Number, "1.5e-3f", 3, 8},
		{BlockComment, "/* c\n*/", 3, 16}, {Char, "'d'", 4, 4}, {Splice, "\\\n", 4, 7}, {Punctuation, "+", 5, 1},
	}, got)
}

// withoutComments is another way to find comments: join lines first, as the standard says, then look at one byte at a time.
// It knows no raw strings and no directives, and returns nothing but the code, without any blanks.
func withoutComments(source string) string {
	var joined strings.Builder
	for i := 0; i < len(source); i++ {
		if source[i] == '\\' {
			rest := strings.TrimLeft(source[i+1:], " \t\v\f\r")
			if strings.HasPrefix(rest, "\n") {
				i = len(source) - len(rest)
				continue
			}
		}
		joined.WriteByte(source[i])
	}
	var out strings.Builder
	state := byte(0)
	for s := joined.String(); s != ""; {
		n := 1
		switch {
		case state == '/':
			if s[0] == '\n' {
				state = 0
				continue
			}
		case state == '*':
			if strings.HasPrefix(s, "*/") {
				state, n = 0, 2
			}
		case state != 0:
			if s[0] == '\\' && len(s) > 1 && s[1] != '\n' && s[1] != '\r' {
				n = 2
			} else if s[0] == state || s[0] == '\n' {
				state = 0
			}
			out.WriteString(s[:n])
		case strings.HasPrefix(s, "//"):
			state, n = '/', 2
		case strings.HasPrefix(s, "/*"):
			state, n = '*', 2
		default:
			if s[0] == '"' || s[0] == '\'' {
				state = s[0]
			}
			out.WriteByte(s[0])
		}
		s = s[n:]
	}
	return withoutBlanks(out.String())
}

func withoutBlanks(text string) string {
	return strings.NewReplacer(" ", "", "\t", "", "\v", "", "\f", "", "\r", "", "\n", "").Replace(text)
}

func checkInvariants(t *testing.T, source []byte) {
	t.Helper()
	var all []byte
	spans := 0
	l := New(source)
	line, start := 1, 0
	for {
		token, ok := l.Next()
		if !ok {
			break
		}
		require.Greater(t, token.End, token.Start)
		require.Equal(t, len(all), token.Start)
		require.Equal(t, line, token.Line)
		require.Equal(t, token.Start-start+1, token.Column)
		text := l.Text(token)
		if n := bytes.Count(text, []byte{'\n'}); n > 0 {
			line += n
			start = token.Start + bytes.LastIndexByte(text, '\n') + 1
			if token.Kind == BlockComment && token.InDirective {
				spans += n
			}
		}
		all = append(all, text...)
	}
	require.Equal(t, string(source), string(all))
	once := StripComments(source)
	require.Equal(t, bytes.Count(source, []byte{'\n'}), bytes.Count(once, []byte{'\n'}), "line breaks of %q", once)
	// A comment over many lines in a directive needs a backslash for each, and that is all that can be longer.
	require.LessOrEqual(t, len(once), len(source)+spans, "%q", once)
	require.Equal(t, string(once), string(StripComments(once)), "stripped twice")
	for l := New(once); ; {
		token, ok := l.Next()
		if !ok {
			break
		}
		if token.Kind == LineComment || token.Kind == BlockComment {
			require.Equal(t, "//", string(l.Text(token)))
		}
	}
	if !bytes.ContainsAny(source, "#R") && !bytes.ContainsAny(source, "0123456789") && !bytes.Contains(source, []byte{'\r'}) {
		require.Equal(t, withoutComments(string(source)), withoutComments(string(once)), "code of %q", once)
		if !bytes.Contains(once, []byte("\\//")) {
			require.Equal(t, withoutComments(string(source)), blankless(string(once)))
		}
	}
}

// blankless joins lines and takes out blanks, and knows nothing of comments.
func blankless(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' {
			if rest := strings.TrimLeft(text[i+1:], " \t\v\f\r"); strings.HasPrefix(rest, "\n") {
				i = len(text) - len(rest)
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return withoutBlanks(out.String())
}

func TestTimeGrowsWithTheSourceAlone(t *testing.T) {
	for _, piece := range []string{"/*\n*/", "\\\n", "/\\\n", "\\ ", "'", "R\"", "R\"(", "\"\\", "/* *\\\n", "\r", "#include <", "1'", "a\\\n"} {
		source := "#define A " + strings.Repeat(piece, 1<<20/len(piece)) + " 1\n"
		start := time.Now()
		StripComments([]byte(source))
		// A quadratic time would be minutes.
		require.Less(t, time.Since(start), 10*time.Second, "%q", piece)
	}
}

func FuzzStripComments(f *testing.F) {
	for _, seed := range []string{
		"", "a // b\\\n c\n/* d\n */ e", "#define A /* b\n */ c \\ // d\n", `R"x(a)" )x" "b\" // c" '\'' 1'000`,
		"/\\\n/ a\n*\\\n/", "#include <a//b>\r\n\r\r\n", "\"a\\ \r\n\\\\\n\"//", "\\\r\r\n", "#/*\n\n\n\n\n\n*/a", "/*\\*/", "\x00\xff'",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, source []byte) { checkInvariants(t, source) })
}
