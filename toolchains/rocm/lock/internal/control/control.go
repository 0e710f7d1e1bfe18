// Package control reads Debian control files: stanzas of "Name: value" fields, as in Release, Packages and *.sources.
package control

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	maxLine   = 1 << 20
	maxStanza = 16 << 20 // A Release file is one stanza, of some 200 KB in Debian.
	maxFields = 256
)

// Field is one field of a stanza. The lines of a longer value are separated by newlines, without their indentation.
type Field struct{ Name, Value string }

// Stanza is a paragraph of fields in their order.
type Stanza []Field

// Get returns a field's value, "" if there is none. Field names differ from each other by more than case.
func (s Stanza) Get(name string) string {
	if i := s.index(name); i >= 0 {
		return s[i].Value
	}
	return ""
}

func (s Stanza) index(name string) int {
	return slices.IndexFunc(s, func(f Field) bool { return strings.EqualFold(f.Name, name) })
}

// Reader yields a control file's stanzas. Its memory is bounded whatever it reads.
type Reader struct {
	lines *bufio.Scanner
	line  int
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	return &Reader{lines: lines}
}

// Next returns the next stanza, or io.EOF.
func (r *Reader) Next() (Stanza, error) {
	var (
		stanza Stanza
		size   int
		longer strings.Builder // The last field's value, once it has a second line.
	)
	finish := func() {
		if longer.Len() > 0 {
			stanza[len(stanza)-1].Value = strings.TrimSpace(longer.String())
			longer.Reset()
		}
	}
	for r.lines.Scan() {
		r.line++
		line := strings.TrimRight(r.lines.Text(), " \t\r")
		size += len(line) + 1
		switch {
		case size > maxStanza:
			return nil, fmt.Errorf("line %d: stanza is larger than %d bytes", r.line, maxStanza)
		case line == "":
			if stanza == nil {
				size = 0
				continue
			}
			finish()
			return stanza, nil
		case line[0] == '#':
			continue
		case line[0] == ' ' || line[0] == '\t':
			if stanza == nil {
				return nil, fmt.Errorf("line %d: continues a field, but no field precedes it", r.line)
			}
			if longer.Len() == 0 {
				longer.WriteString(stanza[len(stanza)-1].Value)
			}
			longer.WriteByte('\n')
			longer.WriteString(strings.TrimLeft(line, " \t"))
			continue
		}
		finish()
		name, value, found := strings.Cut(line, ":")
		if !found || !isFieldName(name) {
			return nil, fmt.Errorf("line %d: %.40q is not a field", r.line, line)
		}
		if stanza.index(name) >= 0 {
			return nil, fmt.Errorf("line %d: field %s occurs twice in a stanza", r.line, name)
		}
		if len(stanza) == maxFields {
			return nil, fmt.Errorf("line %d: stanza has more than %d fields", r.line, maxFields)
		}
		stanza = append(stanza, Field{name, strings.TrimSpace(value)})
	}
	if err := r.lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	if stanza == nil {
		return nil, io.EOF
	}
	finish()
	return stanza, nil
}

func isFieldName(name string) bool {
	for i := range len(name) {
		if name[i] <= ' ' || name[i] > '~' {
			return false
		}
	}
	return name != "" && name[0] != '-'
}
