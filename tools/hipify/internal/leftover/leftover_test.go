package leftover

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// check takes a source of which hipify-perl converted nothing.
func check(source string, refused ...string) []string {
	var found []string
	for _, p := range Check([]byte(source), []byte(source), set(refused...), nil, KnownMacros([]string{"__CUDA_ARCH__=890", "MINE"})) {
		text, _, _ := strings.Cut(p.Format("k.cu"), "\n")
		found = append(found, strings.TrimPrefix(text, "k.cu:"))
	}
	return found
}

func TestClasses(t *testing.T) {
	for source, want := range map[string]string{
		"cudaFrobnicate(1);":               "1:1: error: CUDA runtime API without a HIP counterpart: cudaFrobnicate",
		"x = ::cudaFrobnicate(1);":         "1:7: error: CUDA runtime API without a HIP counterpart: cudaFrobnicate",
		"x = sizeof(cudaFrob_t);":          "1:12: error: CUDA runtime API without a HIP counterpart: cudaFrob_t",
		"CHECK(cuLaunchKernel(f));":        "1:7: error: CUDA driver API without a HIP counterpart: cuLaunchKernel",
		"CUtensorMap map;":                 "1:1: error: CUDA driver API without a HIP counterpart: CUtensorMap",
		"f(CUdeviceptr_v2(1));":            "1:3: error: CUDA driver API without a HIP counterpart: CUdeviceptr_v2",
		"f(cublasFoo());":                  "1:3: error: CUDA library without a counterpart in kernels: cublasFoo",
		"f(CUDNN_FOO);":                    "1:3: error: CUDA library without a counterpart in kernels: CUDNN_FOO",
		"curandStateFoo_t s;":              "1:1: error: CUDA library without a counterpart in kernels: curandStateFoo_t",
		"f(cufftFoo, 1);":                  "1:3: error: CUDA library without a counterpart in kernels: cufftFoo",
		"f(cusparseFoo);":                  "1:3: error: CUDA library without a counterpart in kernels: cusparseFoo",
		"a = curand_uniform(&s);":          "1:5: error: CUDA library without a counterpart in kernels: curand_uniform",
		"thrust::sort(a, b);":              "1:1: error: CUDA template library without a counterpart: thrust::sort",
		"a = cub::BlockReduce<int, 2>(b);": "1:5: error: CUDA template library without a counterpart: cub::BlockReduce",
		"using namespace thrust;":          "1:17: error: CUDA template library without a counterpart: thrust",
		"nvcuda::wmma::fragment<int> f;":   "1:1: error: CUDA warp matrix function without a counterpart: nvcuda::wmma",
		"wmma::mma_sync(a);":               "1:1: error: CUDA warp matrix function without a counterpart: wmma::mma_sync",
		"using namespace nvcuda;":          "1:17: error: CUDA warp matrix function without a counterpart: nvcuda",
		"cuda::pipeline<1> p;":             "1:1: error: CUDA C++ library without a counterpart: cuda::pipeline",
		`asm("bar.sync 0;");`:              "1:1: error: inline PTX cannot be compiled for AMD: bar.sync",
		`asm volatile ("{\n\t.reg .pred p;\n\t@p ld.global.u32 %0;"`: "1:1: error: inline PTX cannot be compiled for AMD: ld.global.u32",
		"__asm__ __volatile__(\n\"mov\" \".u32 %0;\")":               "1:1: error: inline PTX cannot be compiled for AMD: mov.u32",
		`asm(R"(cp.async.wait_all;)");`:                              "1:1: error: inline PTX cannot be compiled for AMD: cp.async.wait_all",
		`asm("%0;");`:                                                "1:1: error: inline PTX cannot be compiled for AMD: asm",
		"__nv_fp6_e2m3 a;":                                           "1:1: error: NVIDIA compiler name without a HIP counterpart: __nv_fp6_e2m3",
		"a = __nvvm_fabs(b);":                                        "1:5: error: NVIDIA compiler name without a HIP counterpart: __nvvm_fabs",
		"nv_bfloat16_odd a;":                                         "1:1: error: NVIDIA compiler name without a HIP counterpart: nv_bfloat16_odd",
		"texture<float, 2> t;":                                       "1:1: error: CUDA texture or surface reference without a HIP counterpart: texture",
		"static surface<void, 2> t;":                                 "1:8: error: CUDA texture or surface reference without a HIP counterpart: surface",
		"f(textureReference());":                                     "1:3: error: CUDA texture or surface reference without a HIP counterpart: textureReference",
		"#include <thrust/sort.h>":                                   "1:10: error: CUDA header without a counterpart: <thrust/sort.h>",
		"# include \"cuda_pipeline.h\"":                              "1:11: error: CUDA header without a counterpart: \"cuda_pipeline.h\"",
		"#include <cuda/std/array>":                                  "1:10: error: CUDA header without a counterpart: <cuda/std/array>",
		"#include <cublas_v2.h>":                                     "1:10: error: CUDA header without a counterpart: <cublas_v2.h>",
		"#define A(x) cudaFrobnicate(x)":                             "1:14: error: CUDA runtime API without a HIP counterpart: cudaFrobnicate",
		"__fadd_rz(a, b);":                                           "1:1: error: CUDA name without a HIP counterpart: __fadd_rz",
	} {
		require.Equal(t, []string{want}, check(source, "__fadd_rz"), source)
	}
}

func TestHintFollows(t *testing.T) {
	source := []byte("/* a */ asm(\"exit;\");")
	problems := Check(source, source, nil, nil, nil)
	require.Len(t, problems, 1)
	require.Equal(t, "a/b.cu:1:9: error: inline PTX cannot be compiled for AMD: exit\n"+
		"  hint: write it in C++ or with an intrinsic; a version for NVIDIA may stay between #ifndef __HIP__ and #endif", problems[0].Format("a/b.cu"))
}

func TestAllAreReportedInOrder(t *testing.T) {
	require.Equal(t, []string{
		"1:1: error: CUDA runtime API without a HIP counterpart: cudaB",
		"1:9: error: CUDA runtime API without a HIP counterpart: cudaB",
		"3:3: error: CUDA runtime API without a HIP counterpart: cudaA",
	}, check("cudaB();cudaB();\r\n\r\n  cudaA();"))
}

func TestNotCUDA(t *testing.T) {
	for _, source := range []string{
		"// cudaFoo asm(\"bar.sync\")\n/* nvcuda::wmma */",
		`a("cudaFoo cublasFoo", R"(cudaFoo "asm(")", 'cuda');`,
		"int cudaKernelCount = 1; cudaKernelCount++;",
		"int a = 1, cudaB = 2; cudaB++;",
		"void f(const float* cudaIn, float &cudaOut, int cudaN) { cudaOut = cudaIn[cudaN]; }",
		"float* cudaHelper(int); x = cudaHelper(1);",
		"std::vector<int> cudaV; cudaV[0];",
		"for (auto& cudaE : list) cudaE = 1;",
		"struct cudaThing { int cudaField; }; cudaThing t; t.cudaField = 1;",
		"enum { cudaA, cudaB = 2, cudaC }; x = cudaA + cudaB + cudaC;",
		"using cudaT = int; cudaT a; typedef int cudaU; cudaU b;",
		"#define cudaM(x) x\ncudaM(1);",
		"template <int cudaN> int f() { return cudaN; }",
		"namespace cudaN { int a; } int b = cudaN::a;",
		"mycuda::cudaX(); a::b::cudaY(); s.cudaZ(); p->cudaZ();",
		"my::thrust::sort(); a.cub(); cub = 1; thrust(); cuda::mine(); cuda::std::numeric_limits<int>::max();",
		"namespace thrust { int mine; } int a = thrust::mine;",
		"cuRed(); cuValue = CUnit; cubic(); cuteness(); curandom = 1; cudaless; CUDA_CHECK(x); CUDA_VERSION; CUDA_KERNEL_LOOP(i, n); CUDART_INF_F;",
		`asm volatile("" ::: "memory"); asm("s_waitcnt 0"); __asm__("v_mov_b32 %0, 0\n"); asm(TEXT);`,
		"__dp4a(1, 2, 3) + __dp2a_lo(1, 2, 3) + __vadd4(1, 2) + __vabsdiffu2(1, 2) + __vsubss4(1, 2) + __vcmpgtu4(1, 2) + __vsetles2(1, 2);",
		"__shfl_xor_sync(m, v, 1) + __ballot_sync(m, p) + __any_sync(m, p) + __activemask() + __reduce_add_sync(m, v) + __match_any_sync(m, v);",
		"__syncwarp(); __ldg(p); __ldcs(p); __stcs(p, v); atomicAdd(p, v); atomicAdd_block(p, v); __trap(); __launch_bounds__(1) __grid_constant__;",
		"__nv_bfloat16 a; __nv_bfloat162 b; nv_bfloat162 c; __nv_fp8_e4m3 d; __nv_fp8x4_e5m2 e; __nv_fp8_storage_t f; __nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E4M3);",
		"__float2bfloat16_rn(a); __floats2bfloat162_rn(a, b); __bfloat162int_rz(a); __hmax_nan(a, b); __hfma2_relu(a, b, c); __half2char_rz(a); make_bfloat162(a, b);",
		"saturate(a); umin(a, b); int2float(a); __isnan(a); __finitef(a);",
		"#include <cuda_fp8.h>\n#include <cuda/std/limits>\n#include \"cuda_utils.cuh\"\n#include \"mma.cuh\"\n#include <cassert>\n#include \"my/thrust/sort.h\"\n#include MACRO",
		"struct texture { int a; }; int texture2; a = texture < 3;",
		"#error cudaFoo\n#pragma cudaFoo\n#warning cudaFoo",
	} {
		var all []string
		for _, name := range Names([]byte(source)) {
			if strings.HasPrefix(name, "__") {
				all = append(all, name)
			}
		}
		require.Empty(t, check(source, all...), source)
	}
}

func TestConvertedNamesAreNotLeft(t *testing.T) {
	source := []byte("cudaA(cudaB);\ncudaA(cudaB);")
	converted := []byte("hipA(cudaB);\nhipA(hipB);")
	problems := Check(source, converted, nil, nil, nil)
	require.Len(t, problems, 1)
	require.Equal(t, Problem{1, 7, runtimeAPI.name, "cudaB", hostHint}, problems[0])
	require.Empty(t, Check(source, converted, nil, set("cudaB"), nil), "named with --own")
}

func TestConditions(t *testing.T) {
	for condition, want := range map[string]string{
		"#if 0": "dead", "#if 1": "live", "#ifdef __HIP__": "live", "#ifndef __HIPCC__": "dead", "#ifdef __CUDACC__": "live",
		"#ifdef UNKNOWN": "maybe", "#ifndef UNKNOWN": "maybe", "#if UNKNOWN > 3": "maybe", "#if !defined(__HIP__)": "dead",
		"#if defined __HIP_PLATFORM_AMD__ && UNKNOWN": "maybe", "#if defined(__HIP__) || UNKNOWN": "live", "#if 0 && UNKNOWN": "dead",
		"#if __CUDA_ARCH__ >= 900": "dead", "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 800)": "live", "#if (1 + 2) * 3 == 9 // x": "live",
		"#if MINE": "live", "#if 1'000 == 1000u": "live", "#if __has_include(<cuda/std/array>)": "maybe", "#if (": "maybe", "#if 1 ? 0 : 1": "maybe",
		"#if defined(__NVPTX__) \\\n || defined(_MSC_VER)": "dead", "#if": "maybe", "#if !(false)": "live", "#if 2 <= 1": "dead", "#if 2 != 1 && 1 < 2 && 5 - 4 > 0": "live",
	} {
		live := check(condition + "\ncudaThen();\n#else\ncudaElse();\n#endif\n")
		got := map[int]string{2: "maybe"}[len(live)]
		if len(live) == 1 {
			got = map[bool]string{true: "live", false: "dead"}[strings.HasSuffix(live[0], "cudaThen")]
		}
		require.Equal(t, want, got, condition)
	}
	deep := "#if " + strings.Repeat("(", 100000) + "\ncudaA();\n#endif"
	require.Len(t, check(deep), 1)
}

func TestNestedConditions(t *testing.T) {
	source := `#if 0
# if UNKNOWN
cudaA();
# else
cudaB();
# endif
#elif defined(UNKNOWN)
cudaC();
#elif 1
cudaD();
#else
cudaE();
#endif
cudaF();
#endif
#else
cudaG();
`
	var names []string
	for _, found := range check(source) {
		names = append(names, found[len(found)-1:])
	}
	require.Equal(t, []string{"C", "D", "F", "G"}, names)
	require.Len(t, check("#define __HIP__\n#ifndef __HIP__\ncudaA();\n#endif"), 1, "a macro that the file sets is not certain")
}

func TestNamesToAskAbout(t *testing.T) {
	require.Equal(t, []string{"alpha", "beta"}, Names([]byte("beta alpha beta // gamma\n\"delta\" __dp4a x a\xc3\xa4b 12ab")))
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"#if (1 || defined(A)) && !B\ncudaFoo();\n#else\n#endif", "asm volatile(\"mov.u32 %0;\" R\"(a)\")", "cub::a::b<c>::d", "#include <", "using namespace", "int a, cudaB;",
		"#define", "#if 1 ==", "asm(R\"(", "enum { cudaA",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		first := check(source)
		require.Equal(t, first, check(source))
		for _, p := range Check([]byte(source), nil, nil, nil, nil) {
			require.Equal(t, ptx.name, p.Class, "nothing else remains in an empty output")
		}
	})
}
