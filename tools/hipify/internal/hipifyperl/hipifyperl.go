// Package hipifyperl runs hipify-perl, AMD's converter of CUDA to HIP, and reads what it says.
package hipifyperl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	// namesPerLine balances the time that hipify-perl needs for each line (15 ms) with the length of its warnings,
	// each of which repeats the line.
	namesPerLine = 256
	maxMessages  = 64 << 20
)

// Program is hipify-perl as a command line.
type Program struct {
	Command []string
	// Folder is where temporary files go.
	Folder string
}

// Convert has source converted. Warnings are left to Refused: hipify-perl needs 15 ms a line to look for them.
func (p Program) Convert(ctx context.Context, source []byte, limit int64) (converted []byte, refused map[string]bool, err error) {
	input, output := filepath.Join(p.Folder, "input.cu"), filepath.Join(p.Folder, "output.hip")
	if err := os.WriteFile(input, source, 0o600); err != nil {
		return nil, nil, err
	}
	messages, err := p.run(ctx, "-quiet-warnings", "-o="+output, input)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(output)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("run %s: it ended well, but wrote no output%s", p.Command[0], quote(messages))
	} else if err != nil {
		return nil, nil, err
	}
	if info.Size() > limit {
		return nil, nil, fmt.Errorf("run %s: its output of %d bytes is over the limit of %d", p.Command[0], info.Size(), limit)
	}
	converted, err = os.ReadFile(output)
	return converted, Refusals(messages), err
}

// Refused asks hipify-perl which of names it knows to be CUDA that it cannot convert.
func (p Program) Refused(ctx context.Context, names []string) (map[string]bool, error) {
	if len(names) == 0 {
		return map[string]bool{}, nil
	}
	var text bytes.Buffer
	for i, name := range names {
		// Functions are known by the parentheses that follow.
		text.WriteString(name + "()")
		if i%namesPerLine == namesPerLine-1 || i == len(names)-1 {
			text.WriteByte('\n')
		} else {
			text.WriteByte(' ')
		}
	}
	list := filepath.Join(p.Folder, "names.cu")
	if err := os.WriteFile(list, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	messages, err := p.run(ctx, "-no-output", "-o="+filepath.Join(p.Folder, "names.hip"), list)
	if err != nil {
		return nil, err
	}
	return Refusals(messages), nil
}

func (p Program) run(ctx context.Context, args ...string) ([]byte, error) {
	line := append(append([]string{}, p.Command...), args...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.WaitDelay = 5 * time.Second
	// Perl would complain of a locale that the toolchain does not hold.
	cmd.Env = append(os.Environ(), "LC_ALL=C", "LANGUAGE=")
	stderr := &limited{left: maxMessages}
	cmd.Stderr = stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("run %s: %w%s", strings.Join(line, " "), err, quote(stderr.Bytes()))
	}
	if stderr.left == 0 {
		return nil, fmt.Errorf("run %s: it printed over %d bytes of messages", strings.Join(line, " "), maxMessages)
	}
	return stderr.Bytes(), nil
}

func quote(messages []byte) string {
	if text := strings.TrimRight(string(messages), "\n"); text != "" {
		return "; it printed:\n" + text
	}
	return ""
}

type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	keep := min(l.left, len(p))
	l.left -= keep
	l.Buffer.Write(p[:keep])
	return len(p), nil
}

// refusal is what versions 6 and 7 have in common: a file and a line, a judgement, and a name, quoted or not.
var refusal = regexp.MustCompile(`warning: .*?\b(?:unsupported|experimental|deprecated|removed)\b[^":]*?\b(?:identifier|function)(?:: ?| )"?([A-Za-z_][A-Za-z0-9_]*)`)

// Refusals finds the names in hipify-perl's warnings that it has no conversion for, or only a doubtful one.
func Refusals(messages []byte) map[string]bool {
	names := map[string]bool{}
	for line := range bytes.Lines(messages) {
		// Warnings repeat the user's line at their end; their own words come first.
		if match := refusal.FindSubmatch(line[:min(len(line), 4096)]); match != nil {
			names[string(match[1])] = true
		}
	}
	return names
}
