package convert

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/tools/hipify/internal/hipifyperl"
)

// realHipify holds a command that starts hipify-perl, for tests that go without a stand-in.
const realHipify = "HIPLOOM_TEST_HIPIFY"

// standIn is a program in place of hipify-perl: an awk script that runs over the input, or anything else in shell.
func standIn(t *testing.T, shell string) hipifyperl.Program {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "hipify-perl")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\nset -eu\nfor out in \"$@\"; do case $out in -o=*) out=${out#-o=}; break ;; esac; done\nfor in in \"$@\"; do :; done\n"+shell+"\n"), 0o755))
	return hipifyperl.Program{Command: []string{"/bin/sh", path}, Folder: folder}
}

func TestOutputWithAStandIn(t *testing.T) {
	for name, test := range map[string]struct{ shell, source, want string }{
		"nothing inserted":                 {`cat "$in" > "$out"`, "int a; // b\nint c;\n", "#line 1 \"k/a.cu\"\nint a;\nint c;\n"},
		"empty file":                       {`cat "$in" > "$out"`, "", "#line 1 \"k/a.cu\"\n"},
		"no line feed at the end":          {`cat "$in" > "$out"`, "int a;", "#line 1 \"k/a.cu\"\nint a;"},
		"byte order mark":                  {`cat "$in" > "$out"`, "\xef\xbb\xbfint a;", "#line 1 \"k/a.cu\"\nint a;"},
		"at the top":                       {`{ echo '#include "hip/hip_runtime.h"'; cat "$in"; } > "$out"`, "#include \"hip/hip_runtime.h\"\nint a;\n", "#include \"hip/hip_runtime.h\"\n#line 1 \"k/a.cu\"\n#include \"hip/hip_runtime.h\"\nint a;\n"},
		"several lines at the top":         {`{ echo; printf 'a\r\nb\n'; cat "$in"; } > "$out"`, "int a;\n", "\na\nb\n#line 1 \"k/a.cu\"\nint a;\n"},
		"after #pragma once":               {`sed '/#pragma once/a #include "hip/hip_runtime.h"' "$in" > "$out"`, "\n#pragma once\nint a;\n", "#line 1 \"k/a.cu\"\n\n#pragma once\n#include \"hip/hip_runtime.h\"\n#line 3 \"k/a.cu\"\nint a;\n"},
		"after the includes":               {`sed 's/cuComplex.h/hip\/hip_complex.h/; /hip_complex/a #include <hip/hip_runtime.h>' "$in" > "$out"`, "#include \"a.h\"\n#include <cuComplex.h>\nint a;", "#line 1 \"k/a.cu\"\n#include \"a.h\"\n#include <hip/hip_complex.h>\n#include <hip/hip_runtime.h>\n#line 3 \"k/a.cu\"\nint a;"},
		"before the includes":              {`sed '1a #include "hip/hip_runtime.h"' "$in" > "$out"`, "#include \"a.h\"\nint a;", "#include \"hip/hip_runtime.h\"\n#line 1 \"k/a.cu\"\n#include \"a.h\"\nint a;"},
		"at the end":                       {`{ cat "$in"; echo '#include "hip/x.h"'; } > "$out"`, "int a;\n", "#line 1 \"k/a.cu\"\nint a;\n#include \"hip/x.h\"\n#line 2 \"k/a.cu\"\n"},
		"literals and kept names":          {`sed 's/nv\|cuda\|word/BAD/g' "$in" > "$out"`, "#include <cuda_fp8.h>\n__nv_fp8_e4m3 a = L\"word\" R\"(word\r\nword)\";\nint c;\r\n", "#line 1 \"k/a.cu\"\n#include <cuda_fp8.h>\n__nv_fp8_e4m3 a = L\"word\" R\"(word\r\nword)\";\nint c;\n"},
		"user's own placeholder":           {`cat "$in" > "$out"`, "int HIPLOOM_KEPT_0_, XHIPLOOM_KEPT_; \"a\"", "#line 1 \"k/a.cu\"\nint HIPLOOM_KEPT_0_, XHIPLOOM_KEPT_; \"a\""},
		"include of nothing":               {`sed 's/cuda_texture_types.h//' "$in" > "$out"`, "#include <cuda_texture_types.h>\nint a;", "#line 1 \"k/a.cu\"\n\nint a;"},
		"bytes that are not text":          {`cat "$in" > "$out"`, "\"\xff\x00\" \xfe // \xff\n", "#line 1 \"k/a.cu\"\n\"\xff\x00\" \xfe\n"},
		"several lines and the user's own": {`{ echo '#include <hip/b.h>'; sed '2a #include <hip/c.h>' "$in"; } > "$out"`, "int a;\nint b;\nint c;\n", "#include <hip/b.h>\n#line 1 \"k/a.cu\"\nint a;\n#include <hip/c.h>\n#line 2 \"k/a.cu\"\nint b;\nint c;\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				output, problems, err := Convert(t.Context(), []byte(test.source), standIn(t, test.shell), Options{Display: "k/a.cu"})
				require.NoError(t, err)
				require.Empty(t, problems)
				require.Equal(t, test.want, string(output))
			}
		})
	}
}

func TestLinesThatCannotBeMappedAreAnError(t *testing.T) {
	for name, test := range map[string]struct{ shell, source, want string }{
		"joined":            {`sed '/f(/{N;s/\n//}' "$in" > "$out"`, "int a;\nR\"(\n\n)\";\nf(\n1);\nint b;\n", "k/a.cu:5: hipify-perl took away 1 line breaks of the file, so that later line numbers would be wrong; write the statement on one line"},
		"split":             {`sed 's/f(/f(\n/' "$in" > "$out"`, "int a;\nf(1);\nint b;\n", "k/a.cu:2: hipify-perl added 1 line breaks of the file"},
		"joined and added":  {`{ sed '/f(/{N;s/\n//}' "$in"; echo; } > "$out"`, "int a;\nf(\n1);\nint b;", "k/a.cu:2: hipify-perl moved text from line to line"},
		"start lost":        {`sed 1d "$in" > "$out"`, "int a;", "convert k/a.cu: hipify-perl changed the line that marks the start of the file"},
		"placeholder lost":  {`sed 's/_0_/_9_/' "$in" > "$out"`, "a \"b\"", `convert k/a.cu: line 1: hipify-perl damaged a placeholder: "HIPLOOM_KEPT_9_"`},
		"quotes lost":       {`sed 's/"//g' "$in" > "$out"`, "a \"b\"", `convert k/a.cu: line 1: hipify-perl took the quotes from "\"b\""`},
		"raw string lost":   {`sed 's/"HIP.*_"//' "$in" > "$out"`, "a R\"(\n)\";", "k/a.cu:1: hipify-perl added 0 line breaks"},
		"carriage return":   {`cat "$in" > "$out"`, "a\r\nb\rc\n", "k/a.cu:2: a carriage return without a line feed"},
		"last byte is one":  {`cat "$in" > "$out"`, "a\n\r", "k/a.cu:2: a carriage return without a line feed"},
		"program that ends": {`echo reason >&2; exit 9`, "a", "exit status 9; it printed:\nreason"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Convert(t.Context(), []byte(test.source), standIn(t, test.shell), Options{Display: "k/a.cu"})
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestWarningsOfHipifyPerlBecomeProblems(t *testing.T) {
	program := standIn(t, `cat "$in" > "$out"; echo '  x.cu:2: warning: unsupported device function "__odd": "__odd": a
  x.cu:2: warning: unsupported device function "__dp4a": a
  warning: x.cu:3: unsupported identifier "mine"' >&2`)
	_, problems, err := Convert(t.Context(), []byte("int mine;\n  __odd(__dp4a(mine));\n"), program, Options{Display: "a.cu"})
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Equal(t, "a.cu:2:3: error: CUDA name without a HIP counterpart: __odd", strings.Split(problems[0].Format("a.cu"), "\n")[0])
}

func real(t *testing.T) hipifyperl.Program {
	t.Helper()
	command := strings.Fields(os.Getenv(realHipify))
	if len(command) == 0 {
		t.Skip(realHipify + " is not set; it holds the command that starts hipify-perl")
	}
	return hipifyperl.Program{Command: command, Folder: t.TempDir()}
}

func TestRealHipifyPerl(t *testing.T) {
	program := real(t)
	const source = "// a\n#pragma once\n#include <cuda_runtime.h>\n#include <driver_types.h>\n#include \"x.cuh\"\n" +
		"#include <device_launch_parameters.h>\n#include <texture_fetch_functions.h>\n#include \"utils/cuda.h\"\n" +
		"const char* s = \"cudaMalloc\";\n/*\n*/ __global__ void k(__nv_fp8_e4m3* a, __nv_bfloat16 b) { __shfl_sync(~0u, 1, 2); __vadd4(1, CUDART_INF_F); }\n" +
		"cudaError_t e = cudaSuccess; // b\n"
	const lines = "\n#pragma once\n#include <cuda_runtime.h>\n#include <hip/driver_types.h>\n#include \"x.cuh\"\n" +
		"#include <device_launch_parameters.h>\n\n#include \"utils/cuda.h\"\n" +
		"const char* s = \"cudaMalloc\";\n\n __global__ void k(__nv_fp8_e4m3* a, __nv_bfloat16 b) { __shfl_sync(~0u, 1, 2); __vadd4(1, CUDART_INF_F); }\n" +
		"hipError_t e = hipSuccess;\n"
	for _, text := range []string{source, strings.ReplaceAll(source, "\n", "\r\n"), strings.ReplaceAll(source, "// ", "//cudaFoo ")} {
		output, problems, err := Convert(t.Context(), []byte(text), program, Options{Display: "k.cu"})
		require.NoError(t, err)
		require.Empty(t, problems)
		require.Equal(t, "#include \"hip/hip_runtime.h\"\n#line 1 \"k.cu\"\n"+lines, string(output))
	}

	_, problems, err := Convert(t.Context(), []byte("int a;\n  cudaNoSuch(__fadd_rz(a, a)); cublasXtSgemm(1);\ncudaGraphRetainUserObject(1); __nv_fp128_sin(1);"), program, Options{Display: "k.cu"})
	require.NoError(t, err)
	var found []string
	for _, problem := range problems {
		found = append(found, strings.Split(problem.Format("k.cu"), "\n")[0])
	}
	require.Equal(t, []string{
		"k.cu:2:3: error: CUDA runtime API without a HIP counterpart: cudaNoSuch",
		"k.cu:2:14: error: CUDA name without a HIP counterpart: __fadd_rz",
		"k.cu:2:32: error: CUDA library without a counterpart in kernels: cublasXtSgemm",
		"k.cu:3:31: error: NVIDIA compiler name without a HIP counterpart: __nv_fp128_sin",
	}, found)

	_, _, err = Convert(t.Context(), []byte("int a;\ncudaMemcpyToSymbol\n  (a, b, 4);\n"), program, Options{Display: "k.cu"})
	require.ErrorContains(t, err, "k.cu:2: hipify-perl took away 1 line breaks of the file")
	_, _, err = Convert(t.Context(), []byte("int a;\nusing\nnamespace cub;\n"), program, Options{Display: "k.cu"})
	require.ErrorContains(t, err, "k.cu:2: hipify-perl took away 1 line breaks of the file")
}

func FuzzShelter(f *testing.F) {
	for _, seed := range []string{"#include <a.h>\n#include \"b.h\"\n", `L"a" R"(b` + "\n" + `)" __nv_c "d`, "HIPLOOM_KEPT_0_ \"a\"", "using namespace cubes;"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		kept := shelter(text)
		restored, err := kept.restore(kept.text[len(kept.marks.start())+1:])
		require.NoError(t, err)
		require.Equal(t, string(text), string(restored))
	})
}
