package leftover

import "github.com/hiploom/hiploom/tools/hipify/internal/lexer"

// window is a run of significant tokens: no blanks, comments or line breaks.
type window struct {
	lexer  *lexer.Lexer
	source []byte
	ahead  []lexer.Token
}

func newWindow(source []byte) *window { return &window{lexer: lexer.New(source), source: source} }

func significant(kind lexer.Kind) bool {
	switch kind {
	case lexer.Blank, lexer.Newline, lexer.Splice, lexer.LineComment, lexer.BlockComment:
		return false
	}
	return true
}

func (w *window) peek(i int) (lexer.Token, bool) {
	for len(w.ahead) <= i {
		token, ok := w.lexer.Next()
		if !ok {
			return lexer.Token{}, false
		}
		if significant(token.Kind) {
			w.ahead = append(w.ahead, token)
		}
	}
	return w.ahead[i], true
}

func (w *window) next() (lexer.Token, bool) {
	token, ok := w.peek(0)
	if ok {
		w.ahead = append(w.ahead[:0], w.ahead[1:]...)
	}
	return token, ok
}

// text is "" past the end.
func (w *window) text(i int) string {
	token, ok := w.peek(i)
	if !ok {
		return ""
	}
	return w.lexer.Name(token)
}

// notTypes are words before a name that do not make it a declaration.
var notTypes = set(
	"return", "else", "case", "goto", "throw", "new", "delete", "do", "and", "or", "not", "sizeof", "alignof", "typeof", "decltype",
	"co_return", "co_await", "co_yield", "const", "volatile", "static", "inline", "extern", "typename", "operator", "if", "while",
	"for", "switch", "using", "in", "asm", "constexpr", "friend", "__restrict__", "public", "private", "protected", "template",
)

// declared finds the names that the source declares itself, by their surroundings. It may take an expression for a
// declaration (the compiler still refuses what nobody declared), so that names of the user's own are not called CUDA.
func declared(source []byte) map[string]bool {
	names := map[string]bool{}
	w := newWindow(source)
	var before [3]string // The words before, the last one first.
	depth, list, enum := 0, false, false
	directive, outside := false, 0
	for {
		token, ok := w.next()
		if !ok {
			return names
		}
		// A directive is no part of the statement around it.
		switch starts := token.FirstOnLine && w.source[token.Start] == '#'; {
		case starts && !directive:
			outside, depth, before = depth, 0, [3]string{}
		case starts:
			depth, before = 0, [3]string{}
		case directive && !token.InDirective:
			depth, before = outside, [3]string{}
		}
		directive = token.InDirective
		word := ""
		switch token.Kind {
		case lexer.Identifier:
			word = w.lexer.Name(token)
			after := w.text(0)
			switch {
			case token.InDirective && oneOf(before[0], "define", "undef") && before[1] == "#":
				names[word] = true
			case declares(before, after, depth):
				names[word] = true
				list = list || depth == 0
			case depth == 0 && before[0] == "," && list && oneOf(after, ";", "=", ",", "[", "{"),
				enum && oneOf(before[0], "{", ",") && oneOf(after, ",", "=", "}"):
				names[word] = true
			}
			enum = enum || word == "enum"
		case lexer.Punctuation:
			word = string(w.lexer.Text(token))
			switch word {
			case "(":
				depth++
			case ")":
				depth = max(0, depth-1)
			case ";", "}":
				depth, list, enum = 0, false, false
			case "{":
				depth, list = 0, false
			}
		default:
			word = "0"
		}
		before = [3]string{word, before[0], before[1]}
	}
}

func declares(before [3]string, after string, depth int) bool {
	if !oneOf(after, "(", "=", ";", ",", "[", "{", ":", ")", ">", "<") {
		return false
	}
	switch previous := before[0]; {
	case isName(previous):
		if before[1] == "using" || before[1] == "." || notTypes[previous] {
			return previous == "using" && after == "="
		}
		// "x < name" after a type's name is a template, no declaration: cudaX<T>.
		return after != "<" || oneOf(previous, "struct", "class", "union", "concept")
	case oneOf(previous, "*", "&"):
		if !isName(before[1]) && before[1] != ">" && before[1] != "*" || notTypes[before[1]] && before[1] != "const" || oneOf(after, ">", "<") {
			return false
		}
		// "a * name(" is a product unless it begins a statement.
		return after != "(" || depth == 0 && oneOf(before[2], ";", "}", "{", "", "const", "static", "inline", "__device__", "__host__")
	case previous == ">":
		return !oneOf(after, ")", ">", "<", ":", ",") && depth == 0
	}
	return false
}

func isName(word string) bool {
	return word != "" && (word[0] == '_' || word[0] >= 'a' && word[0] <= 'z' || word[0] >= 'A' && word[0] <= 'Z')
}

func oneOf(word string, words ...string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}
