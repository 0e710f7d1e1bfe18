// A kernel that needs what a toolchain must bring: HIP's headers, the C++ library's, and device mathematics.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cmath>
#include <type_traits>

template <typename T>
__device__ T wave(T x) {
    static_assert(std::is_floating_point<T>::value, "floating point only");
    return sin(x) * exp(x);
}

extern "C" __global__ void kernel(const float *__restrict__ x, double *__restrict__ y, unsigned n) {
    __shared__ float tile[256];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = i < n ? wave(x[i]) : 0.0f;
    __syncthreads();
    if (i < n) {
        const __half half = __float2half(tile[threadIdx.x]);
        y[i] = wave((double)__half2float(half));
    }
}
