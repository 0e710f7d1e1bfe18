package control

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func readAll(text string) ([]Stanza, error) {
	reader := NewReader(strings.NewReader(text))
	var stanzas []Stanza
	for {
		stanza, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return stanzas, nil
		}
		if err != nil {
			return stanzas, err
		}
		stanzas = append(stanzas, stanza)
	}
}

func TestStanzasAreRead(t *testing.T) {
	stanzas, err := readAll("\n# comment\nPackage: a\nDescription: one\n two\n .\n# inside\n\tthree\n\n \t\n\r\nPackage:b\r\nEmpty:\r\nSums:\r\n 1 2\r\n 3 4")
	require.NoError(t, err)
	require.Equal(t, []Stanza{
		{{"Package", "a"}, {"Description", "one\ntwo\n.\nthree"}},
		{{"Package", "b"}, {"Empty", ""}, {"Sums", "1 2\n3 4"}},
	}, stanzas)
	require.Equal(t, "a", stanzas[0].Get("package"))
	require.Empty(t, stanzas[0].Get("Version"))
}

func TestBadStanzasAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		" a":                               "line 1: continues a field",
		"A: 1\nb":                          `line 2: "b" is not a field`,
		"A: 1\n\n:x":                       "line 3",
		"-A: 1":                            "is not a field",
		"A B: 1":                           "is not a field",
		"A: 1\na: 2":                       "field a occurs twice",
		"A: " + strings.Repeat("x", 2<<20): "line 1: bufio.Scanner: token too long",
		"A: 1\n" + strings.Repeat(" "+strings.Repeat("x", 1<<19)+"\n", 40): "stanza is larger",
	} {
		_, err := readAll(text)
		require.ErrorContains(t, err, want)
	}
	var many strings.Builder
	for i := range maxFields + 1 {
		many.WriteString("A" + strings.Repeat("x", i) + ": 1\n")
	}
	_, err := readAll(many.String())
	require.ErrorContains(t, err, "more than 256 fields")
}

func FuzzStanzas(f *testing.F) {
	f.Add("Package: a\nVersion: 1\n\nPackage: b\nDescription: x\n y\n")
	f.Add("# c\r\nA:\r\n \tb\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		stanzas, err := readAll(text)
		if err != nil {
			return
		}
		// What was read, written again, reads the same.
		var b strings.Builder
		for _, stanza := range stanzas {
			require.NotEmpty(t, stanza)
			for _, field := range stanza {
				if strings.Contains(field.Value, "\n") {
					return // Blank and comment-like lines of a longer value have no unique spelling.
				}
				require.Equal(t, field.Value, stanza.Get(field.Name))
				b.WriteString(field.Name + ": " + field.Value + "\n")
			}
			b.WriteString("\n")
		}
		again, err := readAll(b.String())
		require.NoError(t, err)
		require.Equal(t, stanzas, again)
	})
}
