package leftover

import "regexp"

// compatHeaders are the CUDA headers that hiploom has itself, under the same names, in rules/hip/cuda_compat. They are kept
// from hipify-perl, which turns some into nothing (device_launch_parameters.h) and some into HIP headers with other contents.
var compatHeaders = set(
	"cooperative_groups.h", "cuda.h", "cuda/std/limits", "cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_runtime.h",
	"cuda_runtime_api.h", "device_launch_parameters.h", "math_constants.h", "vector_types.h",
)

// cudaHeader matches the other headers of the CUDA toolkit and its libraries. What matches none is the user's or the C++ library's.
var cudaHeader = regexp.MustCompile(`^(?:` +
	`(?:cub|thrust|cuda|nv|crt|nvtx3|cooperative_groups)/.*|nvfunctional|` +
	`(?:cublas|cudnn|curand|cufft|cusparse|cusolver|cutensor|nvrtc|npp|nvjpeg|nvml|nccl|nvToolsExt|nvJitLink|mma)[A-Za-z0-9_]*\.h|` +
	`(?:cudaGL|cudaEGL|cudaVDPAU|cudaProfiler|cudaTypedefs|cuComplex)\.h|` +
	`cuda_(?:awbarrier|awbarrier_helpers|awbarrier_primitives|device_runtime_api|egl_interop|fp4|fp6|gl_interop|occupancy|` +
	`pipeline|pipeline_helpers|pipeline_primitives|profiler_api|surface_types|texture_types|vdpau_interop)\.h|` +
	`(?:builtin_types|channel_descriptor|common_functions|device_(?:atomic_|double_)?functions|device_types|driver_functions|` +
	`driver_types|host_config|host_defines|library_types|math_functions|sm_[0-9]+_[a-z_]+|surface_(?:functions|indirect_functions|types)|` +
	`texture_(?:fetch_functions|indirect_functions|types)|vector_functions)\.(?:h|hpp)` +
	`)$`)

// nvName matches the names that hipify-perl must not see: it makes the standard (OCP) 8-bit floats another format, FNUZ,
// in which the same bits are another number, and its version decides about the rest. The headers above define them all.
var nvName = regexp.MustCompile(`^(?:__nv_|__NV_|nv_bfloat16|CUDART_)`)

// compatName matches what rules/hip/cuda_compat defines, and what the compiler can decide about better than a list.
var compatName = regexp.MustCompile(`^(?:` +
	// Integer dot products and SIMD within a word.
	`__dp[24]a(?:_lo|_hi)?|` +
	`__v(?:abs|absdiff|abs_?ss|abs_?diff|add|add_?[su]s|avg|cmp(?:eq|ge|gt|le|lt|ne)|hadd|max|min|neg|neg_?ss|sad|set(?:eq|ge|gt|le|lt|ne)|sub|sub_?[su]s)[su]*[24]|` +
	`__vi[a-z]+_[su](?:32|16x2)(?:_relu)?|__vib[a-z]+_[su](?:32|16x2)|` +
	// Warps.
	`__shfl(?:_up|_down|_xor)?(?:_sync)?|__(?:ballot|any|all|uni)(?:_sync)?|__activemask|__reduce_[a-z]+_sync|__match_[a-z]+_sync|` +
	`__syncwarp|__syncthreads(?:_[a-z]+)?|__trap|__brkpt|__nanosleep|__prof_trigger|__pm[0-3]|` +
	// Memory.
	`__ld(?:g|ca|cg|cs|cv|lu)|__st(?:cg|cs|wb|wt)|atomic[A-Z][A-Za-z]*(?:_block|_system)?|__threadfence(?:_block|_system)?|` +
	// Attributes.
	`__launch_bounds__|__grid_constant__|__cluster_dims__|__maxnreg__|__align__|__forceinline__|__noinline__|__managed__|` +
	// 16-bit floats: all of CUDA's names for them.
	`__(?:nv_)?bfloat16\w*|__nv_bfloat16\w*|nv_bfloat162?|__[a-z0-9]+2bfloat16\w*|__[a-z]+_as_bfloat16|__[a-z]*2?bfloat16\w*|make_bfloat162|` +
	`__h(?:add|sub|mul|fma|cmadd|max|min|eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|abs|neg|div|isnan|isinf)2?(?:_\w+)?|h2?[a-z]+[0-9]*(?:_approx)?|` +
	`__half\w*|__[a-z]+2half\w*|` +
	// 8-bit floats.
	`__nv_fp8(?:x[24])?_(?:e4m3|e5m2|storage_t)|__nv_fp8_interpretation_t|__nv_saturation_t|__NV_(?:SATFINITE|NOSAT|E4M3|E5M2)|` +
	`__nv_cvt_(?:float|float2|double|double2|halfraw|halfraw2|bfloat16raw|bfloat16raw2)_to_fp8(?:x2)?|__nv_cvt_fp8(?:x2)?_to_(?:half|bfloat16)raw2?|` +
	// HIP's own headers have these, though hipify-perl lists them.
	`__(?:finite|isinf|isnan|signbit)[fl]?|` +
	// CUDA dropped these long ago, so that today they are names of the user's own.
	`(?:u|ll|ull)(?:min|max)|u?mul24|mulhi|mul64hi|saturate|fdivide|u?int2float|float2int|u?int_as_float|float_as_u?int|` +
	`memoryBarrier|(?:csr|bsr|gesvdj|syevj|prune)[A-Za-z0-9]*Info(?:_t)?|solver|_[A-Za-z]\w*` +
	`)$`)

// driverName matches the functions and types of CUDA's driver interface, without what other programs name in like manner.
var driverName = regexp.MustCompile(`^(?:` +
	`cu(?:Array|Checkpoint|Coredump|CoredumpGet|Ctx|Destroy(?:External)|Device|Driver|EGL|Event|External|Flush|Func|GL|Get(?:Error|Export|Proc)|Graph|Graphics|GreenCtx|` +
	`Import(?:External)|Init|Ipc|Kernel|Launch|Library|Link|Logs|Mem|Memcpy|Memset|Mipmapped|Module|Multicast|Occupancy|Param|Pointer|Profiler|` +
	`SignalExternal|Stream|Surf|Tensor|TexObject|TexRef|Thread|UserObject|VDPAU|WaitExternal)[A-Za-z0-9_]*|` +
	`CU(?:access|address|array|async|clear|cluster|compute|context|ctx|dev|device|deviceptr|driver|event|exec|external|fil|file|flush|func|function|` +
	`gl|graph|graphics|green|ipc|jit|jitInput|kernel|launch|lib|library|limit|link|mem|memory|mipmapped|module|moduleLoading|multicast|occupancy|pointer|` +
	`process|resource|result|shared|stream|surf|surfObject|surfref|tensor|tex|texObject|texref|user|uuid)[A-Za-z0-9]*(?:_[a-z0-9]+)?` +
	`)$`)

var (
	runtimeName = regexp.MustCompile(`^cuda[A-Z][A-Za-z0-9_]*$`)
	// libraryName matches the host libraries of CUDA, by their prefixes.
	libraryName = regexp.MustCompile(`^(?:(?:cublas|cudnn|curand|cufft|cusparse|cusolver|cutensor|nvrtc|nvml|nppi?|nvjpeg)(?:[A-Z]|Lt|Xt)[A-Za-z0-9_]*|` +
		`(?:cublas|cudnn|curand|cufft|cusparse|cusolver|cutensor|nvrtc)_?[a-z]+_t|(?:CUBLAS|CUDNN|CURAND|CUFFT|CUSPARSE|CUSOLVER|CUTENSOR|NVRTC)_[A-Z][A-Z0-9_]*|curand_[a-z0-9_]+|curand)$`)
	compilerName = regexp.MustCompile(`^(?:__nv_|__NV_|__nvvm_|__nvptx_)\w+$`)
	nvBfloat     = regexp.MustCompile(`^nv_bfloat16\w*$`)
)

// libcuNames are the members of namespace cuda that have no counterpart; any other may be of a namespace of the user's own.
var libcuNames = set(
	"access_property", "annotated_ptr", "aligned_size_t", "apply_access_property", "associate_access_property", "atomic", "atomic_ref",
	"atomic_thread_fence", "barrier", "binary_semaphore", "counting_semaphore", "device", "discard_memory", "latch", "make_pipeline",
	"memcpy_async", "pipeline", "pipeline_shared_state", "ptx", "thread_scope", "thread_scope_block", "thread_scope_device",
	"thread_scope_system", "thread_scope_thread",
)

// amdInstruction matches assembly for AMD, which a file for both makers may hold.
var amdInstruction = regexp.MustCompile(`^(?:s|v|ds|buffer|tbuffer|flat|global|scratch|image)_[a-z0-9_]+`)

func set(names ...string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// KeepHeader reports whether hipify-perl must leave the name of a header alone: those that hiploom has and those of the user.
func KeepHeader(name string) bool { return compatHeaders[name] || !cudaHeader.MatchString(name) }

// KeepName reports whether hipify-perl must leave an identifier alone.
func KeepName(name string) bool { return nvName.MatchString(name) }
