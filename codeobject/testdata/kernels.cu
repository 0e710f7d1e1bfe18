// Kernels that between them show what a code object can hold; nothing runs them. README.md has the commands.

#include <cuda_runtime.h>
#include <cuda_fp16.h>

struct Pair {
  float scale;
  long long shift;
};

struct Empty {};

struct Block {
  unsigned char bytes[20];
};

__device__ int counter;
__device__ float weights[4] = {1, 2, 3, 4};
__constant__ float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
// Addresses in initialized data are what a loader relocates.
__device__ int (*volatile functions[2])(int) = {twice, thrice};

// One argument of every kind that has a size or alignment of its own.
extern "C" __global__ void scalars(float *out, const int *__restrict__ in, bool flag, __half h, double d, Pair pair,
                                   char c, short s, Block block, long long n) {
  if (flag) out[n] = in[0] + (float)h + (float)d + pair.scale + pair.shift + c + s + block.bytes[19];
}

// Even a struct without members takes a byte of the kernarg segment.
extern "C" __global__ void empty_argument(int *out, Empty, int x) { *out = x; }

extern "C" __global__ void no_arguments() {}

extern "C" __global__ void static_shared(float *data) {
  __shared__ float tile[256];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[255 - threadIdx.x];
}

extern "C" __global__ void dynamic_shared(float *data) {
  extern __shared__ float pool[];
  pool[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = pool[threadIdx.x ^ 1];
}

// A local array with an index that is known only at run time lives in scratch memory.
extern "C" __global__ void scratch(int *data) {
  volatile int local[32];
  for (int i = 0; i < 32; i++) local[i] = data[i];
  data[threadIdx.x] = local[data[threadIdx.x] & 31];
}

extern "C" __global__ void __launch_bounds__(128) bounded(int *data) { data[threadIdx.x]++; }

extern "C" __global__ void variables(float *out) {
  out[threadIdx.x] = table[threadIdx.x & 3] * weights[threadIdx.x & 3];
  atomicAdd(&counter, 1);
}

// Block and grid dimensions come in hidden arguments.
extern "C" __global__ void strided(float *data, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) data[i] *= 2;
}

// Which function is called is not known to the compiler, nor then how much stack it takes.
extern "C" __global__ void indirect(int *data) { data[0] = functions[data[1] & 1](data[2]); }

template <typename T>
__global__ void fill(T *out, T value) {
  out[threadIdx.x] = value;
}
template __global__ void fill<float>(float *, float);
