package leftover

import (
	"strconv"
	"strings"

	"github.com/hiploom/hiploom/tools/hipify/internal/lexer"
)

// builtinMacros are what is certain of the compiler: a value, or "" for a macro that is not defined.
// hipify-perl makes __CUDACC__ the same as __HIPCC__.
var builtinMacros = map[string]string{
	"__AMDGCN__": "1", "__AMDGPU__": "1", "__CUDACC__": "1", "__HIPCC__": "1", "__HIP_PLATFORM_AMD__": "1", "__HIP__": "1", "__clang__": "1",
	"__CUDACC_RTC__": "", "__HIP_PLATFORM_NVIDIA__": "", "__NVCOMPILER": "", "__NVPTX__": "", "_MSC_VER": "", "_WIN32": "",
}

// Macros is what is known of macros when conditions are judged.
type Macros map[string]string

// KnownMacros joins what is certain of the compiler with the defines of a build, as NAME or NAME=VALUE.
func KnownMacros(defines []string) Macros {
	known := make(Macros, len(builtinMacros)+len(defines))
	for name, value := range builtinMacros {
		known[name] = value
	}
	for _, define := range defines {
		name, value, found := strings.Cut(define, "=")
		if !found || value == "" {
			value = "1"
		}
		known[name] = value
	}
	return known
}

// value is an integer, or unknown.
type value struct {
	known  bool
	number int64
}

func truth(b bool) value {
	if b {
		return value{true, 1}
	}
	return value{true, 0}
}

func (v value) isTrue() bool  { return v.known && v.number != 0 }
func (v value) isFalse() bool { return v.known && v.number == 0 }

// branches follows nested #if, and says whether the text at hand is certainly not compiled.
type branches struct {
	known Macros
	stack []branch
}

type branch struct {
	outerDead bool
	taken     bool // A branch before this one is certainly compiled.
	dead      bool
}

func (b *branches) dead() bool { return len(b.stack) > 0 && b.stack[len(b.stack)-1].dead }

// directive takes the words of a preprocessing directive without its '#'.
func (b *branches) directive(words []string) {
	if len(words) == 0 {
		return
	}
	switch rest := words[1:]; words[0] {
	case "if":
		b.open(evaluate(rest, b.known))
	case "ifdef":
		b.open(b.defined(rest))
	case "ifndef":
		b.open(not(b.defined(rest)))
	case "elif":
		b.next(evaluate(rest, b.known))
	case "elifdef":
		b.next(b.defined(rest))
	case "elifndef":
		b.next(not(b.defined(rest)))
	case "else":
		b.next(value{true, 1})
	case "endif":
		if n := len(b.stack); n > 0 {
			b.stack = b.stack[:n-1]
		}
	}
}

func (b *branches) open(condition value) {
	outer := b.dead()
	b.stack = append(b.stack, branch{outerDead: outer, taken: condition.isTrue(), dead: outer || condition.isFalse()})
}

func (b *branches) next(condition value) {
	if len(b.stack) == 0 {
		return
	}
	top := &b.stack[len(b.stack)-1]
	top.dead = top.outerDead || top.taken || condition.isFalse()
	top.taken = top.taken || condition.isTrue()
}

func (b *branches) defined(words []string) value {
	if len(words) == 0 {
		return value{}
	}
	text, found := b.known[words[0]]
	return value{found, truth(text != "").number}
}

func not(v value) value {
	if !v.known {
		return v
	}
	return truth(v.number == 0)
}

// evaluate judges the condition of an #if; what it does not understand is unknown.
func evaluate(words []string, known Macros) value {
	e := evaluator{words: words, macros: branches{known: known}}
	v := e.binary(0)
	if e.lost || len(e.words) > 0 {
		return value{}
	}
	return v
}

type evaluator struct {
	words  []string
	macros branches
	depth  int
	lost   bool
}

// precedence of the operators that conditions are made of, the loosest first.
var precedence = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*"}}

func (e *evaluator) binary(level int) value {
	if level == len(precedence) {
		return e.unary()
	}
	left := e.binary(level + 1)
	for !e.lost {
		operator := ""
		for _, candidate := range precedence[level] {
			if e.peek() == candidate {
				operator = candidate
			}
		}
		if operator == "" {
			break
		}
		e.words = e.words[1:]
		left = apply(operator, left, e.binary(level+1))
	}
	return left
}

func apply(operator string, a, b value) value {
	switch operator {
	case "||":
		if a.isTrue() || b.isTrue() {
			return truth(true)
		}
		return value{a.known && b.known, 0}
	case "&&":
		if a.isFalse() || b.isFalse() {
			return truth(false)
		}
		return value{a.known && b.known, 1}
	}
	if !a.known || !b.known {
		return value{}
	}
	switch operator {
	case "==":
		return truth(a.number == b.number)
	case "!=":
		return truth(a.number != b.number)
	case "<":
		return truth(a.number < b.number)
	case "<=":
		return truth(a.number <= b.number)
	case ">":
		return truth(a.number > b.number)
	case ">=":
		return truth(a.number >= b.number)
	case "+":
		return value{true, a.number + b.number}
	case "-":
		return value{true, a.number - b.number}
	default:
		return value{true, a.number * b.number}
	}
}

func (e *evaluator) peek() string {
	if len(e.words) == 0 {
		return ""
	}
	return e.words[0]
}

func (e *evaluator) take() string {
	word := e.peek()
	if word != "" {
		e.words = e.words[1:]
	}
	return word
}

func (e *evaluator) unary() value {
	const deepest = 200
	e.depth++
	defer func() { e.depth-- }()
	word := e.take()
	switch {
	case e.depth > deepest || word == "":
		e.lost = true
		return value{}
	case word == "!":
		return not(e.unary())
	case word == "(":
		v := e.binary(0)
		if e.take() != ")" {
			e.lost = true
		}
		return v
	case word == "defined":
		parenthesis := e.peek() == "("
		if parenthesis {
			e.take()
		}
		v := e.macros.defined([]string{e.take()})
		if parenthesis && e.take() != ")" {
			e.lost = true
		}
		return v
	case word[0] >= '0' && word[0] <= '9':
		return number(word)
	case e.peek() == "(":
		e.skipArguments()
		return value{}
	case word == "true":
		return truth(true)
	case word == "false":
		return truth(false)
	}
	text, found := e.macros.known[word]
	switch {
	case !found:
		return value{}
	case text == "":
		return truth(false)
	}
	return number(text)
}

// skipArguments passes over those of __has_include(...) and its like.
func (e *evaluator) skipArguments() {
	for depth := 0; ; {
		switch e.take() {
		case "(":
			depth++
		case ")":
			depth--
			if depth == 0 {
				return
			}
		case "":
			e.lost = true
			return
		}
	}
}

func number(text string) value {
	text = strings.TrimRight(strings.ReplaceAll(text, "'", ""), "uUlLzZ")
	n, err := strconv.ParseInt(text, 0, 64)
	return value{err == nil, n}
}

// appendWord adds a word of a directive; operators of two characters are one word.
func appendWord(words []string, l *lexer.Lexer, token lexer.Token) []string {
	text := l.Name(token)
	if n := len(words); token.Kind == lexer.Punctuation && n > 0 {
		switch pair := words[n-1] + text; pair {
		case "||", "&&", "==", "!=", "<=", ">=", "<<", ">>":
			words[n-1] = pair
			return words
		}
	}
	return append(words, text)
}
