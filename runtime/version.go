// Package rocm is how a Go program runs GPU kernels that hiploom built.
//
// So far it knows the GPU architectures that kernels are built for; devices, memory and launches follow.
package rocm

// Version is the version of this module, the one that MODULE.bazel declares.
const Version = "0.1.0"
