// Package leftover finds the CUDA that hipify-perl left unconverted and that cannot be compiled for an AMD GPU.
package leftover

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hiploom/hiploom/tools/hipify/internal/lexer"
)

// Problem is one piece of CUDA that is left.
type Problem struct {
	Line, Column int
	Class        string
	Name         string
	Hint         string
}

// Format is the problem in the form of a compiler's message.
func (p Problem) Format(file string) string {
	return fmt.Sprintf("%s:%d:%d: error: %s: %s\n  hint: %s", file, p.Line, p.Column, p.Class, p.Name, p.Hint)
}

// class is a kind of problem and what to do about it.
type class struct{ name, hint string }

var (
	hostHint = "kernels are compiled for the device alone; move code that runs on the host out of this file, or between #ifndef __HIP__ and #endif"

	runtimeAPI = class{"CUDA runtime API without a HIP counterpart", hostHint}
	driverAPI  = class{"CUDA driver API without a HIP counterpart", hostHint}
	library    = class{"CUDA library without a counterpart in kernels", "host libraries cannot be called from a kernel; move such code out of this file, or between #ifndef __HIP__ and #endif"}
	template   = class{"CUDA template library without a counterpart", "hiploom has neither CUB nor Thrust; write the algorithm with shuffles and shared memory, or put it between #ifndef __HIP__ and #endif"}
	libcu      = class{"CUDA C++ library without a counterpart", "of libcu++ there is <cuda/std/limits> alone; use atomicAdd, __syncthreads and their like"}
	matrix     = class{"CUDA warp matrix function without a counterpart", "NVIDIA's matrix fragments do not fit AMD's matrix units; give the kernel a version without them, under #ifdef __HIP__"}
	ptx        = class{"inline PTX cannot be compiled for AMD", "write it in C++ or with an intrinsic; a version for NVIDIA may stay between #ifndef __HIP__ and #endif"}
	compiler   = class{"NVIDIA compiler name without a HIP counterpart", "use the CUDA function or type of the documented interface instead"}
	textures   = class{"CUDA texture or surface reference without a HIP counterpart", "references left CUDA with release 12; use a texture object (cudaTextureObject_t) or plain global memory"}
	header     = class{"CUDA header without a counterpart", "leave it out, or put it between #ifndef __HIP__ and #endif"}
	function   = class{"CUDA name without a HIP counterpart", "hipify-perl knows it and has nothing for it; write it in other terms, or define it in this file"}
)

// Names returns, in order, the identifiers of text that hipify-perl should be asked about.
func Names(text []byte) []string {
	names := map[string]bool{}
	for l := lexer.New(text); ; {
		token, ok := l.Next()
		if !ok {
			break
		}
		if token.Kind == lexer.Identifier && !bytes.ContainsFunc(l.Text(token), func(r rune) bool { return r == '\\' || r >= 0x80 }) {
			if name := string(l.Text(token)); len(name) > 2 && !compatName.MatchString(name) {
				names[name] = true
			}
		}
	}
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	return sorted
}

// Check compares a source with what hipify-perl made of it, which must have the same lines. Refused are the names that
// hipify-perl said are not supported; own are names that the caller answers for.
func Check(source, converted []byte, refused, own map[string]bool, known Macros) []Problem {
	c := checker{
		window: newWindow(source), mine: declared(source), refused: refused, own: own,
		known: Macros{}, remaining: newLines(converted),
	}
	// A macro that the file sets is not what it was at the start of it.
	for name, text := range known {
		if !c.mine[name] {
			c.known[name] = text
		}
	}
	c.branches.known = c.known
	c.run()
	return c.problems
}

type checker struct {
	*window
	mine, refused, own map[string]bool
	known              Macros
	branches           branches
	remaining          *lines
	problems           []Problem
	before             [3]string
}

func (c *checker) run() {
	for {
		token, ok := c.next()
		if !ok {
			return
		}
		text := ""
		switch token.Kind {
		case lexer.Punctuation:
			text = string(c.lexer.Text(token))
			if text == "#" && token.FirstOnLine {
				c.directive()
				c.before = [3]string{}
				continue
			}
		case lexer.Identifier:
			text = c.lexer.Name(token)
			if !c.branches.dead() {
				c.identifier(token, text)
			}
		default:
			text = "0"
		}
		c.before = [3]string{text, c.before[0], c.before[1]}
	}
}

// directive reads the conditions of preprocessing; the text of other directives is checked like any other.
func (c *checker) directive() {
	word := c.text(0)
	switch word {
	case "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif":
	case "include", "include_next", "import":
		c.next()
		if name, ok := c.peek(0); ok && name.Kind == lexer.HeaderName {
			c.next()
			if !c.branches.dead() {
				c.include(name)
			}
		}
		return
	case "define":
		c.next()
		return
	case "error", "warning", "pragma", "line":
		for token, ok := c.peek(0); ok && token.InDirective && !c.startsDirective(token); token, ok = c.peek(0) {
			c.next()
		}
		return
	default:
		return
	}
	var words []string
	for token, ok := c.peek(0); ok && token.InDirective && !c.startsDirective(token); token, ok = c.peek(0) {
		words = appendWord(words, c.lexer, token)
		c.next()
	}
	c.branches.directive(words)
}

// startsDirective tells the directive on the next line from the rest of this one.
func (c *checker) startsDirective(token lexer.Token) bool {
	return token.FirstOnLine && token.Kind == lexer.Punctuation
}

func (c *checker) report(token lexer.Token, class class, name string) {
	c.problems = append(c.problems, Problem{token.Line, token.Column, class.name, name, class.hint})
}

func (c *checker) include(token lexer.Token) {
	text := string(c.lexer.Text(token))
	name := text[1 : len(text)-1]
	if compatHeaders[name] || !cudaHeader.MatchString(name) || !c.remaining.has(token.Line, text) {
		return
	}
	c.report(token, header, text)
}

func (c *checker) identifier(token lexer.Token, name string) {
	after := c.text(0)
	switch {
	case name == "asm" || name == "__asm__" || name == "__asm":
		c.assembly(token)
		return
	case after == ":" && c.text(1) == ":":
		if !c.allowed(token, name) {
			c.qualifier(token, name)
		}
		// The rest of a qualified name belongs to its first part.
		c.skipQualified()
		return
	case c.allowed(token, name):
		return
	}
	if c.before[0] == "namespace" {
		switch name {
		case "nvcuda":
			c.report(token, matrix, name)
		case "cub", "thrust":
			c.report(token, template, name)
		}
		return
	}
	switch {
	case (name == "texture" || name == "surface") && after == "<" && c.before[0] != "struct" && c.before[0] != "class",
		name == "textureReference" || name == "surfaceReference":
		c.report(token, textures, name)
	case compatName.MatchString(name):
	case compilerName.MatchString(name) || nvBfloat.MatchString(name):
		c.report(token, compiler, name)
	case runtimeName.MatchString(name):
		c.report(token, runtimeAPI, name)
	case driverName.MatchString(name):
		c.report(token, driverAPI, name)
	case libraryName.MatchString(name):
		c.report(token, library, name)
	case c.refused[name]:
		c.report(token, function, name)
	}
}

// allowed holds for names of the user's own, names that hipify-perl converted, and members of something.
func (c *checker) allowed(token lexer.Token, name string) bool {
	b := c.before
	return c.mine[name] || c.own[name] || !c.remaining.has(token.Line, name) ||
		b[0] == "." || b[0] == ">" && b[1] == "-" || b[0] == ":" && b[1] == ":" && b[2] == ">"
}

// qualifier judges a name before a "::".
func (c *checker) qualifier(token lexer.Token, name string) {
	switch name {
	case "nvcuda", "wmma":
		c.report(token, matrix, c.qualified(name))
	case "cub", "thrust":
		c.report(token, template, c.qualified(name))
	case "cuda":
		if libcuNames[c.text(2)] {
			c.report(token, libcu, c.qualified(name))
		}
	}
}

// qualified is name with the one that follows its "::".
func (c *checker) qualified(name string) string {
	if next := c.text(2); isName(next) {
		return name + "::" + next
	}
	return name + "::"
}

func (c *checker) skipQualified() {
	for c.text(0) == ":" && c.text(1) == ":" {
		c.next()
		c.next()
		if token, ok := c.peek(0); !ok || token.Kind != lexer.Identifier {
			break
		}
		c.next()
	}
}

var firstInstruction = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_.:]*`)

// assembly tells PTX from AMD's assembly and from barriers to the compiler, which have no text.
func (c *checker) assembly(token lexer.Token) {
	i := 0
	for oneOf(c.text(i), "volatile", "__volatile__", "__volatile", "goto", "inline") {
		i++
	}
	if c.text(i) != "(" {
		return
	}
	var text strings.Builder
	literal := false
	for i++; i < 4096; i++ {
		part, ok := c.peek(i)
		if !ok {
			break
		}
		if part.Kind == lexer.Identifier && oneOf(c.lexer.Name(part), "R", "u8", "u8R", "L", "LR", "u", "uR", "U", "UR") {
			continue
		}
		if part.Kind != lexer.String && part.Kind != lexer.RawString {
			break
		}
		literal = true
		text.WriteString(contents(c.lexer.Text(part), part.Kind))
	}
	code := strings.NewReplacer(`\n`, "\n", `\t`, "\t", "%%", "%", "\\\n", "").Replace(text.String())
	code = strings.Trim(code, " \t\r\n;{}")
	if !literal || code == "" || amdInstruction.MatchString(code) {
		return
	}
	c.report(token, ptx, instruction(code))
}

func contents(literal []byte, kind lexer.Kind) string {
	text := strings.Trim(string(literal), `"`)
	if open := strings.IndexByte(text, '('); kind == lexer.RawString && open >= 0 {
		text = text[open+1:]
		if end := strings.LastIndexByte(text, ')'); end >= 0 {
			text = text[:end]
		}
	}
	return text
}

// instruction is the first operation in a piece of PTX: predicates (@p) and declarations (.reg) come before it.
func instruction(code string) string {
	for _, statement := range strings.FieldsFunc(code, func(r rune) bool { return r == ';' || r == '\n' || r == '{' || r == '}' }) {
		statement = strings.TrimSpace(statement)
		if strings.HasPrefix(statement, "@") {
			_, statement, _ = strings.Cut(statement, " ")
		}
		if strings.HasPrefix(statement, ".") || strings.HasPrefix(statement, "//") {
			continue
		}
		if name := firstInstruction.FindString(statement); name != "" {
			return name
		}
	}
	return "asm"
}

// lines says which names are on which lines of a text.
type lines struct{ on map[string][]int32 }

func newLines(text []byte) *lines {
	l := &lines{on: map[string][]int32{}}
	for lex := lexer.New(text); ; {
		token, ok := lex.Next()
		if !ok {
			return l
		}
		if token.Kind != lexer.Identifier && token.Kind != lexer.HeaderName {
			continue
		}
		name := lex.Name(token)
		if on := l.on[name]; len(on) == 0 || on[len(on)-1] != int32(token.Line) {
			l.on[name] = append(on, int32(token.Line))
		}
	}
}

func (l *lines) has(line int, name string) bool {
	_, found := slices.BinarySearch(l.on[name], int32(line))
	return found
}
