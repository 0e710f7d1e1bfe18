// Package convert turns CUDA into HIP of which every line keeps the number that it has in the user's file.
package convert

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/hiploom/hiploom/tools/hipify/internal/hipifyperl"
	"github.com/hiploom/hiploom/tools/hipify/internal/leftover"
	"github.com/hiploom/hiploom/tools/hipify/internal/lexer"
)

// growth bounds how much longer than its input hipify-perl's output may be.
const growth = 4

// Options are what a conversion depends on beside the source.
type Options struct {
	Display string          // The name of the source in messages and in #line.
	Own     map[string]bool // Names that look like CUDA and are not.
	Defines []string        // Macros of the build, NAME or NAME=VALUE.
}

// Convert returns the HIP for a source, or the CUDA that is left in it.
func Convert(ctx context.Context, source []byte, program hipifyperl.Program, options Options) ([]byte, []leftover.Problem, error) {
	// A byte order mark counts for nothing, but only at the very start, where it will not be.
	source = bytes.TrimPrefix(source, []byte("\xef\xbb\xbf"))
	if line := loneReturn(source); line > 0 {
		return nil, nil, fmt.Errorf("%s:%d: a carriage return without a line feed, which some tools take for a line's end and some do not; write line feeds", options.Display, line)
	}
	kept := shelter(lexer.StripComments(source))
	converted, refused, err := program.Convert(ctx, kept.text, int64(len(kept.text))*growth+1<<20)
	if err != nil {
		return nil, nil, err
	}
	result, err := align(kept, converted, options.Display)
	if err != nil {
		return nil, nil, err
	}
	further, err := program.Refused(ctx, leftover.Names(result.user))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(further, refused)
	problems := leftover.Check(source, result.user, further, options.Own, leftover.KnownMacros(options.Defines))
	return result.output, problems, nil
}

func loneReturn(source []byte) (line int) {
	line = 1
	for rest := source; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return 0
		}
		line += bytes.Count(rest[:i], []byte{'\n'})
		if i+1 == len(rest) || rest[i+1] != '\n' {
			return line
		}
		rest = rest[i+1:]
	}
}

// sheltered is a source in which placeholders stand for what hipify-perl must not change.
type sheltered struct {
	text  []byte
	marks mark
	held  [][]byte
}

// mark is the beginning of every placeholder, and occurs nowhere else.
type mark string

func (m mark) start() string { return string(m) + "start" }

// shelter puts placeholders for string literals, in which hipify-perl would change words, for the names of headers and
// types that it must leave alone, and a line in front that shows where the user's text starts in the output.
func shelter(text []byte) sheltered {
	s := sheltered{marks: "HIPLOOM_KEPT_"}
	for bytes.Contains(text, []byte(s.marks)) {
		s.marks = "X" + s.marks
	}
	out := bytes.NewBuffer(make([]byte, 0, len(text)+len(text)/8+64))
	out.WriteString(s.marks.start() + "\n")
	hold := func(text []byte) {
		fmt.Fprintf(out, "%s%d_", s.marks, len(s.held))
		s.held = append(s.held, text)
	}
	previous := ""
	for l := lexer.New(text); ; {
		token, ok := l.Next()
		if !ok {
			break
		}
		piece := l.Text(token)
		switch token.Kind {
		case lexer.String, lexer.RawString:
			out.WriteByte('"')
			hold(piece)
			out.WriteByte('"')
		case lexer.HeaderName:
			if leftover.KeepHeader(string(piece[1 : len(piece)-1])) {
				out.WriteByte(piece[0])
				hold(piece)
				out.WriteByte(piece[len(piece)-1])
			} else {
				out.Write(piece)
			}
		case lexer.Identifier:
			// hipify-perl takes "using namespace cubes" for CUB's.
			if name := l.Name(token); leftover.KeepName(name) || previous == "namespace" && name != "cub" && strings.HasPrefix(name, "cub") {
				hold(piece)
			} else {
				out.Write(piece)
			}
		default:
			out.Write(piece)
		}
		if token.Kind == lexer.Identifier {
			previous = l.Name(token)
		} else if token.Kind == lexer.Punctuation {
			previous = ""
		}
	}
	s.text = out.Bytes()
	return s
}

// restore puts back what placeholders stand for, with the quotes around those that have their own.
func (s sheltered) restore(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.Index(text, []byte(s.marks))
		if i < 0 {
			return append(out, text...), nil
		}
		end := i + len(s.marks)
		digits := end
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
			digits++
		}
		n, err := strconv.Atoi(string(text[end:digits]))
		if err != nil || n >= len(s.held) || digits == len(text) || text[digits] != '_' {
			return nil, fmt.Errorf("hipify-perl damaged a placeholder: %q", text[i:min(len(text), digits+1)])
		}
		piece := s.held[n]
		before, after := text[:i], text[digits+1:]
		if c := piece[0]; c == '"' || c == '<' {
			if i == 0 || text[i-1] != c || len(after) == 0 {
				return nil, fmt.Errorf("hipify-perl took the quotes from %q", piece)
			}
			before, after = before[:i-1], after[1:]
		}
		out = append(append(out, before...), piece...)
		text = after
	}
}

// aligned is hipify-perl's output with every line of the user's in its place.
type aligned struct {
	output []byte // For the compiler.
	user   []byte // The user's lines alone.
}

// align puts #line in front of the user's lines. hipify-perl puts its own lines in front of a file; a line that it
// put anywhere else is found too, if it is an #include of a HIP header.
func align(kept sheltered, converted []byte, display string) (aligned, error) {
	start := []byte(kept.marks.start() + "\n")
	at := bytes.Index(converted, start)
	if at < 0 || at > 0 && converted[at-1] != '\n' {
		return aligned{}, fmt.Errorf("convert %s: hipify-perl changed the line that marks the start of the file, so that line numbers are lost", display)
	}
	before, user := bytes.Split(kept.text[len(start):], []byte{'\n'}), bytes.Split(converted[at+len(start):], []byte{'\n'})
	var result aligned
	// A prefix with the line ends of another system would be the only lines of their kind.
	result.output = append(result.output, bytes.ReplaceAll(converted[:at], []byte("\r\n"), []byte{'\n'})...)
	resume := true
	extra := len(user) - len(before)
	line := 1 // In the user's file; literals may hold line breaks.
	next := 0
	var signsBefore, signsAfter []byte
	moved := 0
	for i, text := range user {
		if extra > 0 && insertedInclude(text) && (next == len(before) || !sameInclude(before[next], text)) {
			extra--
			result.output = append(append(result.output, text...), '\n')
			resume = true
			continue
		}
		if next == len(before) {
			break
		}
		original, err := kept.restore(before[next])
		if err != nil {
			return aligned{}, fmt.Errorf("convert %s: line %d: %w", display, line, err)
		}
		restored, err := kept.restore(text)
		if err != nil {
			return aligned{}, fmt.Errorf("convert %s: line %d: %w", display, line, err)
		}
		breaks := bytes.Count(original, []byte{'\n'})
		if bytes.Count(restored, []byte{'\n'}) != breaks {
			return aligned{}, lineCount(display, line, extra)
		}
		from, to := signs(before[next]), signs(text)
		if moved == 0 && from != to {
			moved = line
		}
		signsBefore, signsAfter = append(signsBefore, from...), append(signsAfter, to...)
		if emptyInclude(restored) {
			restored = nil // hipify-perl takes the name from headers that HIP needs nothing for, and leaves an #include of nothing.
		}
		if resume {
			result.output = fmt.Appendf(result.output, "#line %d %s\n", line, quote(display))
			resume = false
		}
		result.output = append(result.output, restored...)
		result.user = append(result.user, restored...)
		if i < len(user)-1 {
			result.output, result.user = append(result.output, '\n'), append(result.user, '\n')
		}
		line += breaks + 1
		next++
	}
	if extra != 0 || next != len(before) {
		return aligned{}, lineCount(display, kept.firstDifference(before, user), len(user)-len(before))
	}
	// Lines joined in one place and split in another are as many as before; what they hold has moved, and is the same.
	if moved > 0 && bytes.Equal(signsBefore, signsAfter) {
		return aligned{}, fmt.Errorf("%s:%d: hipify-perl moved text from line to line, so that line numbers would be wrong; write the statement on one line", display, moved)
	}
	return result, nil
}

func lineCount(display string, line, extra int) error {
	what := fmt.Sprintf("added %d", extra)
	if extra < 0 {
		what = fmt.Sprintf("took away %d", -extra)
	}
	return fmt.Errorf("%s:%d: hipify-perl %s line breaks of the file, so that later line numbers would be wrong; write the statement on one line", display, line, what)
}

// firstDifference is a guess at the line where lines were joined or split: the first one whose brackets and other signs
// differ. hipify-perl replaces words for the most part.
func (s sheltered) firstDifference(before, after [][]byte) int {
	line := 1
	for i := range min(len(before), len(after)) {
		if signs(before[i]) != signs(after[i]) {
			break
		}
		if original, err := s.restore(before[i]); err == nil {
			line += bytes.Count(original, []byte{'\n'}) + 1
		}
	}
	return line
}

func signs(text []byte) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("(){};#=", r) {
			return r
		}
		return -1
	}, string(text))
}

func includes(line []byte) (name string, ok bool) {
	text := strings.TrimSpace(string(line))
	text, ok = strings.CutPrefix(text, "#")
	if !ok {
		return "", false
	}
	name, ok = strings.CutPrefix(strings.TrimSpace(text), "include")
	return strings.TrimSpace(name), ok
}

func insertedInclude(line []byte) bool {
	name, ok := includes(line)
	return ok && (strings.HasPrefix(name, `"hip/`) || strings.HasPrefix(name, "<hip/"))
}

// sameInclude reports whether an #include of the input may have become the one in the output: hipify-perl keeps the quotes.
func sameInclude(before, after []byte) bool {
	from, ok := includes(before)
	to, _ := includes(after)
	return ok && from != "" && from[0] == to[0] && (from == to || !strings.Contains(from, "HIPLOOM_KEPT_"))
}

func emptyInclude(line []byte) bool {
	name, ok := includes(line)
	return ok && (name == `""` || name == "<>")
}

func quote(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}
