package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const copying = `for a in "$@"; do case $a in -o=*) out=${a#-o=} ;; esac; in=$a; done; cat "$in" > "$out"`

type outcome struct {
	status         int
	stdout, stderr string
}

func hipify(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := Run(t.Context(), args, &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// files of a test: a source, a place for the output, and a stand-in for hipify-perl.
func files(t *testing.T, source, shell string) (in, out string, args []string) {
	t.Helper()
	folder := t.TempDir()
	in, out = filepath.Join(folder, "a.cu"), filepath.Join(folder, "gen", "a.hip")
	require.NoError(t, os.Mkdir(filepath.Dir(out), 0o755))
	require.NoError(t, os.WriteFile(in, []byte(source), 0o644))
	return in, out, []string{"--in", in, "--display", "k/a.cu", "--out", out, "--", "/bin/sh", "-c", shell, "hipify-perl"}
}

func TestOutput(t *testing.T) {
	_, out, args := files(t, "int a; // b\n", copying)
	require.Equal(t, outcome{}, hipify(t, args...))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "#line 1 \"k/a.cu\"\nint a;\n", string(text))
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Len(t, entries, 1, "temporary files go")
}

func TestOutputDoesNotDependOnPlaceOrComments(t *testing.T) {
	var texts []string
	for _, comment := range []string{"// one", "/* two: cudaFoo() */", "//"} {
		_, out, args := files(t, "int a; "+comment+"\n\n__global__ void k();", copying)
		require.Equal(t, outcome{}, hipify(t, args...))
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		texts = append(texts, string(text))
		require.NotContains(t, string(text), filepath.Dir(out))
	}
	require.Equal(t, texts[0], texts[1])
	require.Equal(t, texts[0], texts[2])
}

func TestCUDALeftIsReportedAndLeavesNoOutput(t *testing.T) {
	_, out, args := files(t, "// a\ncudaFoo(\"cudaBar\");\n  cub::Baz x; cudaMine();\n#if LEVEL > 2\ncudaDead();\n#endif", copying)
	require.NoError(t, os.WriteFile(out, []byte("of an earlier run"), 0o644))
	got := hipify(t, append([]string{"--own", "cudaMine", "--define", "LEVEL=2"}, args...)...)
	require.Equal(t, outcome{CUDALeft, "", `k/a.cu:2:1: error: CUDA runtime API without a HIP counterpart: cudaFoo
  hint: kernels are compiled for the device alone; move code that runs on the host out of this file, or between #ifndef __HIP__ and #endif
k/a.cu:3:3: error: CUDA template library without a counterpart: cub::Baz
  hint: hiploom has neither CUB nor Thrust; write the algorithm with shuffles and shared memory, or put it between #ifndef __HIP__ and #endif
`}, got)
	require.NoFileExists(t, out)
	entries, err := os.ReadDir(filepath.Dir(out))
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestFailures(t *testing.T) {
	in, out, args := files(t, "int a;", `echo first >&2; echo second >&2; exit 3`)
	require.NoError(t, os.WriteFile(out, []byte("of an earlier run"), 0o644))
	got := hipify(t, args...)
	require.Equal(t, Failed, got.status)
	require.Regexp(t, `(?s)^hipify: run /bin/sh -c .* hipify-perl -quiet-warnings -o=\S+ \S+: exit status 3; it printed:`+"\nfirst\nsecond\n$", got.stderr)
	require.NoFileExists(t, out)

	missing := filepath.Join(t.TempDir(), "missing")
	for want, args := range map[string][]string{
		"hipify: run " + missing + " -quiet-warnings":                               {"--in", in, "--display", "a.cu", "--out", out, "--", missing},
		"hipify: read a.cu: open " + missing:                                        {"--in", missing, "--display", "a.cu", "--out", out, "--", "true"},
		"hipify: make a temporary folder beside " + missing + "/a":                  {"--in", in, "--display", "a.cu", "--out", missing + "/a", "--", "true"},
		"hipify: --in is missing; hipify --help tells more":                         {"--display", "a.cu", "--out", out, "--", "true"},
		"hipify: --out is missing":                                                  {"--in", in, "--display", "a.cu", "--", "true"},
		"hipify: --display is missing":                                              {"--in", in, "--out", out, "--", "true"},
		"hipify: --display /a.cu is absolute":                                       {"--in", in, "--display", "/a.cu", "--out", out, "--", "true"},
		`hipify: --display "a\nb" holds a line break`:                               {"--in", in, "--display", "a\nb", "--out", out, "--", "true"},
		"hipify: the command that starts hipify-perl is missing after --":           {"--in", in, "--display", "a.cu", "--out", out, "--"},
		`hipify: unexpected argument "x"; the command that starts hipify-perl foll`: {"--in", in, "--display", "a.cu", "--out", out, "x"},
		"hipify: flag provided but not defined: -odd":                               {"--odd"},
	} {
		got := hipify(t, args...)
		require.Equal(t, Failed, got.status, args)
		require.True(t, strings.HasPrefix(got.stderr, want), "%q should start with %q", got.stderr, want)
	}
}

func TestOversizeSourceIsRefused(t *testing.T) {
	in, out, args := files(t, "", copying)
	require.NoError(t, os.Truncate(in, maxSource+1))
	got := hipify(t, args...)
	require.Equal(t, outcome{Failed, "", "hipify: read k/a.cu: it is over the limit of 67108864 bytes\n"}, got)
	require.NoFileExists(t, out)
}

func TestHelp(t *testing.T) {
	require.Equal(t, outcome{OK, usage, ""}, hipify(t, "--help"))
}
