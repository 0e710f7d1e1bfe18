// Package cgo shows that Go code that calls C builds and runs under Bazel.
package cgo

// #include <stdlib.h>
// #include <string.h>
import "C"

import "unsafe"

// Strlen asks the C library how long a string is.
func Strlen(s string) int {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	return int(C.strlen(c))
}
