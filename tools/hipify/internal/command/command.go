// Package command is the command line of hipify.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hiploom/hiploom/tools/hipify/internal/convert"
	"github.com/hiploom/hiploom/tools/hipify/internal/hipifyperl"
)

// Exit statuses.
const (
	OK        = 0
	CUDALeft  = 1 // The source holds CUDA that cannot be converted.
	Failed    = 2 // The program could not do its work.
	maxSource = 64 << 20
)

const usage = `hipify turns one CUDA source or header into HIP.

  hipify --in PATH --display PATH --out PATH [--own NAME]... [--define NAME[=VALUE]]... -- COMMAND [ARG...]

  --in PATH       the .cu or .cuh to read
  --display PATH  its name in messages and in the output's #line; relative, so that no machine's folders enter the output
  --out PATH      the file to write
  --own NAME      a name that looks like CUDA and is the user's own, declared in some other file; may be repeated
  --define MACRO  a macro of the build, to know which parts of the file are compiled; may be repeated
  COMMAND ARG...  starts hipify-perl. What it must do follows: options, -o=FILE, and a file to read. It is started twice.

The output has hipify-perl's own lines first and then the user's, each with its own number. It holds no comments, so that
one changed in words alone, not in lines, changes nothing. CUDA that is left in the parts that are compiled is an error.

Exit status: 0, done; 1, CUDA is left; 2, anything else. Unless it is 0 there is no output file.
`

type options struct {
	in, out string
	convert convert.Options
	command []string
}

type words []string

func (w *words) String() string     { return strings.Join(*w, " ") }
func (w *words) Set(s string) error { *w = append(*w, s); return nil }

// Run runs the program and returns its exit status.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stdout, usage)
		return OK
	} else if err != nil {
		fmt.Fprintf(stderr, "hipify: %v; hipify --help tells more\n", err)
		return Failed
	}
	status, err := run(ctx, o, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "hipify: %v\n", err)
		status = Failed
	}
	if status != OK {
		if err := os.Remove(o.out); err != nil && !errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(stderr, "hipify: remove the output of an earlier run: %v\n", err)
		}
	}
	return status
}

func parse(args []string) (options, error) {
	var o options
	var own, defines words
	flags := flag.NewFlagSet("hipify", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.in, "in", "", "")
	flags.StringVar(&o.out, "out", "", "")
	flags.StringVar(&o.convert.Display, "display", "", "")
	flags.Var(&own, "own", "")
	flags.Var(&defines, "define", "")
	separator := slices.Index(args, "--")
	if separator < 0 {
		separator = len(args)
	}
	if err := flags.Parse(args[:separator]); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; the command that starts hipify-perl follows --", flags.Arg(0))
	}
	o.command = args[min(separator+1, len(args)):]
	display := o.convert.Display
	switch {
	case o.in == "":
		return o, errors.New("--in is missing")
	case o.out == "":
		return o, errors.New("--out is missing")
	case display == "":
		return o, errors.New("--display is missing")
	case filepath.IsAbs(display):
		return o, fmt.Errorf("--display %s is absolute, and would make outputs differ from machine to machine", display)
	case strings.ContainsAny(display, "\r\n\x00"):
		return o, fmt.Errorf("--display %q holds a line break", display)
	case len(o.command) == 0:
		return o, errors.New("the command that starts hipify-perl is missing after --")
	}
	o.convert.Defines = defines
	o.convert.Own = map[string]bool{}
	for _, name := range own {
		o.convert.Own[name] = true
	}
	return o, nil
}

func run(ctx context.Context, o options, stderr io.Writer) (int, error) {
	source, err := read(o.in)
	if err != nil {
		return Failed, fmt.Errorf("read %s: %w", o.convert.Display, err)
	}
	folder, err := os.MkdirTemp(filepath.Dir(o.out), ".hipify-*")
	if err != nil {
		return Failed, fmt.Errorf("make a temporary folder beside %s: %w", o.out, err)
	}
	defer os.RemoveAll(folder)
	output, problems, err := convert.Convert(ctx, source, hipifyperl.Program{Command: o.command, Folder: folder}, o.convert)
	if err != nil {
		return Failed, err
	}
	if len(problems) > 0 {
		var text strings.Builder
		for _, problem := range problems {
			text.WriteString(problem.Format(o.convert.Display) + "\n")
		}
		_, err := io.WriteString(stderr, text.String())
		return CUDALeft, err
	}
	finished := filepath.Join(folder, "finished")
	if err := os.WriteFile(finished, output, 0o644); err != nil {
		return Failed, fmt.Errorf("write %s: %w", o.out, err)
	}
	if err := os.Rename(finished, o.out); err != nil {
		return Failed, fmt.Errorf("write %s: %w", o.out, err)
	}
	return OK, nil
}

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, maxSource+1))
	if err != nil {
		return nil, err
	}
	if len(source) > maxSource {
		return nil, fmt.Errorf("it is over the limit of %d bytes", maxSource)
	}
	return source, nil
}
