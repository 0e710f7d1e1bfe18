// What HIP never says of a kernel, OpenCL does: names, types and qualifiers of arguments, a required workgroup size.

__attribute__((reqd_work_group_size(32, 4, 2)))
kernel void described(global const float *restrict in, global volatile float *out, local float *pool, constant int *table,
                      read_only image2d_t picture, sampler_t sampler, queue_t queue, float4 color) {
  const int i = __builtin_amdgcn_workitem_id_x();
  pool[i] = in[i];
  out[i] = pool[i ^ 1] + table[i & 3] + color.w;
}
