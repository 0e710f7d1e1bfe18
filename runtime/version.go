// Package rocm loads and launches GPU kernels.
package rocm

// #include <stdint.h>
// static uint32_t one(void) { return 1; }
import "C"

func One() uint32 { return uint32(C.one()) }
