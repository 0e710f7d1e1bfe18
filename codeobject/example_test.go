package codeobject_test

import (
	"fmt"
	"log"
	"os"

	"github.com/hiploom/hiploom/codeobject"
)

func Example() {
	data, err := os.ReadFile("testdata/gfx1100.hsaco")
	if err != nil {
		log.Fatal(err)
	}
	object, err := codeobject.Read(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("compiled for", object.Target)
	if k, ok := object.Kernel("strided"); ok {
		fmt.Printf("%s: %d VGPRs, waves of %d, %d bytes of arguments\n", k.Name, k.VGPRCount, k.WavefrontSize, k.KernargSize)
		for _, arg := range k.ExplicitArgs() {
			fmt.Printf("  %d bytes at offset %d: %s\n", arg.Size, arg.Offset, arg.Kind)
		}
	}
	// Output:
	// compiled for gfx1100
	// strided: 4 VGPRs, waves of 32, 272 bytes of arguments
	//   8 bytes at offset 0: global_buffer
	//   4 bytes at offset 8: by_value
}
