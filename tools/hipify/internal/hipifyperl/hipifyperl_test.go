package hipifyperl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefusalsOfBothVersions(t *testing.T) {
	messages := `  a.cu:7: warning: unsupported device function "__vadd4":   x = __vadd4(y, "identifier: z");
  a.cu:8: warning: unsupported HIP identifier: cudaFoo
  a.cu:8: warning: unsupported hipDNN identifier: cudnnFoo
  a.cu:9: warning: unsupported device data type identifier: __nv_fp6_e2m3
  a.cu:9: warning: experimental ROCm HIP identifier: cudaLaunchKernelExC 6.3.0
  a.cu:9: warning: deprecated CUDA identifier: cusparseZnnz since CUDA 12.2
  a.cu:9: warning: removed CUDA identifier: cudaThreadExit since CUDA 12.0
  warning: a.cu:7: unsupported device function "__shfl_sync":   x = __shfl_sync(1);
  warning: a.cu:7: unsupported identifier "CUB_MAX"
  warning: a.cu:7: removed identifier "cuTexRefCreate" since CUDA 12.0
  warning: a.cu:#7 :   cudaBar();
perl: warning: Setting locale failed.
a.cu:8: unsupported identifier: notAWarning
`
	names := Refusals([]byte(messages))
	want := map[string]bool{}
	for _, name := range []string{"__vadd4", "cudaFoo", "cudnnFoo", "__nv_fp6_e2m3", "cudaLaunchKernelExC", "cusparseZnnz",
		"cudaThreadExit", "__shfl_sync", "CUB_MAX", "cuTexRefCreate"} {
		want[name] = true
	}
	require.Equal(t, want, names)
}

// script writes a program that stands for hipify-perl.
func script(t *testing.T, text string) Program {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "hipify-perl")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return Program{Command: []string{"/bin/sh", path, "own argument"}, Folder: folder}
}

func TestArgumentsFollowTheCommand(t *testing.T) {
	p := script(t, `[ "$#" = 4 ] && [ "$1" = "own argument" ] && [ "$2" = -quiet-warnings ] || exit 3
out=${3#-o=}; echo before > "$out"; cat "$4" >> "$out"; echo "  x:1: warning: unsupported HIP identifier: cuFoo" >&2`)
	out, refused, err := p.Convert(t.Context(), []byte("text"), 100)
	require.NoError(t, err)
	require.Equal(t, "before\ntext", string(out))
	require.Equal(t, map[string]bool{"cuFoo": true}, refused)
}

func TestNamesAreAskedForInFewLines(t *testing.T) {
	p := script(t, `cat "$4" > "$0.names"; while read -r line; do for name in $line; do
echo "  x:1: warning: unsupported device function \"${name%"()"}\": $line" >&2; done; done < "$4"`)
	names := make([]string, namesPerLine+1)
	want := map[string]bool{}
	for i := range names {
		names[i] = "n" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		want[names[i]] = true
	}
	refused, err := p.Refused(t.Context(), names)
	require.NoError(t, err)
	require.Equal(t, want, refused)
	text, err := os.ReadFile(p.Command[1] + ".names")
	require.NoError(t, err)
	require.Regexp(t, `^(\w+\(\) ){255}\w+\(\)\n\w+\(\)\n$`, string(text))
	none, err := Program{Command: []string{"/nowhere"}}.Refused(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"status":        {"echo one >&2; echo two >&2; exit 4", `exit status 4; it printed:` + "\none\ntwo$"},
		"no output":     {"echo three >&2", `run /bin/sh: it ended well, but wrote no output; it printed:` + "\nthree$"},
		"long output":   {`echo 0123456789 > "${3#-o=}"`, "its output of 11 bytes is over the limit of 10$"},
		"what was done": {"exit 1", `^run /bin/sh \S+/hipify-perl own argument -quiet-warnings -o=\S+/output.hip \S+/input.cu: exit status 1$`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := script(t, test.script).Convert(t.Context(), []byte("x"), 10)
			require.Error(t, err)
			require.Regexp(t, test.want, err.Error())
		})
	}
	_, _, err := Program{Command: []string{"/nowhere/hipify-perl"}, Folder: t.TempDir()}.Convert(t.Context(), nil, 10)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "run /nowhere/hipify-perl -quiet-warnings")
}
