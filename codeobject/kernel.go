package codeobject

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Kernel is an entry point with what a launch has to know of it. Sizes are in bytes; the fields from Args on are what the
// metadata says, in the metadata's order.
type Kernel struct {
	// Name is that of the symbol of the kernel's code, as the compiler mangled it.
	Name string
	// DescriptorSymbol is the name of the symbol of the kernel's descriptor: by custom, Name with ".kd" behind.
	DescriptorSymbol  string
	DescriptorAddress uint64
	Descriptor        Descriptor
	// Entry is the address of the first instruction, in an executable segment; CodeSize bytes there are the kernel's.
	Entry, CodeSize uint64
	// Kind is "normal", or "init" or "fini" for what a loader runs before and after all others.
	Kind string

	// Args are in ascending order of offsets, without overlap.
	Args []Arg
	// KernargSize is the size of the memory that arguments are passed in: at least the end of the last of Args.
	KernargSize, KernargAlign uint32
	// GroupSegmentFixedSize is the LDS that a workgroup takes, besides what a launch asks for.
	GroupSegmentFixedSize uint32
	// PrivateSegmentFixedSize is the scratch memory that a work-item takes; if UsesDynamicStack, the least of it.
	PrivateSegmentFixedSize        uint32
	WavefrontSize                  uint32
	SGPRCount, VGPRCount           uint32
	AGPRCount                      uint32
	SGPRSpillCount, VGPRSpillCount uint32
	MaxFlatWorkgroupSize           uint32
	// ReqdWorkgroupSize is the only workgroup size that the kernel may be launched with; zero if it does not matter.
	ReqdWorkgroupSize [3]uint32
	// UsesDynamicStack and WorkgroupProcessorMode are false in code objects of version 4, which do not say.
	UsesDynamicStack, WorkgroupProcessorMode bool
}

// Arg is an argument. What HIP compilers leave out is zero: they give no names, types or qualifiers.
type Arg struct {
	Name, TypeName string
	Offset, Size   uint32
	Kind           ValueKind
	// AddressSpace is that of what a pointer points to: "private", "global", "constant", "local", "generic", "region".
	AddressSpace string
	// Access is what an image or pipe was declared for: "read_only", "write_only", "read_write". ActualAccess is what the
	// compiler found to happen, also through pointers; empty if it does not know.
	Access, ActualAccess string
	// PointeeAlign is for a KindDynamicSharedPointer how the memory that it points to is to be aligned.
	PointeeAlign                    uint32
	Const, Restrict, Volatile, Pipe bool
}

// ValueKind says what an argument is and, of a hidden one, what the runtime has to pass in it.
type ValueKind string

// All kinds of arguments.
const (
	KindByValue              ValueKind = "by_value"
	KindGlobalBuffer         ValueKind = "global_buffer"
	KindDynamicSharedPointer ValueKind = "dynamic_shared_pointer"
	KindSampler              ValueKind = "sampler"
	KindImage                ValueKind = "image"
	KindPipe                 ValueKind = "pipe"
	KindQueue                ValueKind = "queue"

	KindHiddenBlockCountX      ValueKind = "hidden_block_count_x"
	KindHiddenBlockCountY      ValueKind = "hidden_block_count_y"
	KindHiddenBlockCountZ      ValueKind = "hidden_block_count_z"
	KindHiddenGroupSizeX       ValueKind = "hidden_group_size_x"
	KindHiddenGroupSizeY       ValueKind = "hidden_group_size_y"
	KindHiddenGroupSizeZ       ValueKind = "hidden_group_size_z"
	KindHiddenRemainderX       ValueKind = "hidden_remainder_x"
	KindHiddenRemainderY       ValueKind = "hidden_remainder_y"
	KindHiddenRemainderZ       ValueKind = "hidden_remainder_z"
	KindHiddenGlobalOffsetX    ValueKind = "hidden_global_offset_x"
	KindHiddenGlobalOffsetY    ValueKind = "hidden_global_offset_y"
	KindHiddenGlobalOffsetZ    ValueKind = "hidden_global_offset_z"
	KindHiddenGridDims         ValueKind = "hidden_grid_dims"
	KindHiddenNone             ValueKind = "hidden_none" // Nothing: a place that is kept free.
	KindHiddenPrintfBuffer     ValueKind = "hidden_printf_buffer"
	KindHiddenHostcallBuffer   ValueKind = "hidden_hostcall_buffer"
	KindHiddenDefaultQueue     ValueKind = "hidden_default_queue"
	KindHiddenCompletionAction ValueKind = "hidden_completion_action"
	KindHiddenMultigridSyncArg ValueKind = "hidden_multigrid_sync_arg"
	KindHiddenHeapV1           ValueKind = "hidden_heap_v1"
	KindHiddenDynamicLDSSize   ValueKind = "hidden_dynamic_lds_size"
	KindHiddenPrivateBase      ValueKind = "hidden_private_base"
	KindHiddenSharedBase       ValueKind = "hidden_shared_base"
	KindHiddenQueuePtr         ValueKind = "hidden_queue_ptr"
)

// Hidden reports whether the compiler added the argument, to which the source has nothing that corresponds.
func (k ValueKind) Hidden() bool { return strings.HasPrefix(string(k), "hidden_") }

func (k ValueKind) known() bool {
	switch k {
	case KindByValue, KindGlobalBuffer, KindDynamicSharedPointer, KindSampler, KindImage, KindPipe, KindQueue,
		KindHiddenBlockCountX, KindHiddenBlockCountY, KindHiddenBlockCountZ,
		KindHiddenGroupSizeX, KindHiddenGroupSizeY, KindHiddenGroupSizeZ,
		KindHiddenRemainderX, KindHiddenRemainderY, KindHiddenRemainderZ,
		KindHiddenGlobalOffsetX, KindHiddenGlobalOffsetY, KindHiddenGlobalOffsetZ, KindHiddenGridDims, KindHiddenNone,
		KindHiddenPrintfBuffer, KindHiddenHostcallBuffer, KindHiddenDefaultQueue, KindHiddenCompletionAction,
		KindHiddenMultigridSyncArg, KindHiddenHeapV1, KindHiddenDynamicLDSSize, KindHiddenPrivateBase,
		KindHiddenSharedBase, KindHiddenQueuePtr:
		return true
	}
	return false
}

// ExplicitArgs returns the arguments that the source has too, without the hidden ones.
func (k *Kernel) ExplicitArgs() []Arg {
	return slices.DeleteFunc(slices.Clone(k.Args), func(a Arg) bool { return a.Kind.Hidden() })
}

// Descriptor is what the hardware that starts a kernel reads: 64 bytes in memory.
type Descriptor struct {
	GroupSegmentFixedSize, PrivateSegmentFixedSize, KernargSize uint32
	// EntryOffset is from the descriptor's address to the first instruction.
	EntryOffset int64
	// The values of the hardware's registers; what their bits mean depends on the architecture.
	ComputePgmRsrc1, ComputePgmRsrc2, ComputePgmRsrc3 uint32
	Properties                                        CodeProperties
	// So many dwords of the arguments, from that dword on, are in SGPRs when the kernel starts.
	KernargPreloadLength, KernargPreloadOffset uint16
}

// CodeProperties is a set of bits: which SGPRs are initialized, and how the code runs.
type CodeProperties uint16

// The bits that have a meaning. SGPRs are initialized in this order, without gaps.
const (
	EnableSGPRPrivateSegmentBuffer CodeProperties = 1 << 0
	EnableSGPRDispatchPtr          CodeProperties = 1 << 1
	EnableSGPRQueuePtr             CodeProperties = 1 << 2
	EnableSGPRKernargSegmentPtr    CodeProperties = 1 << 3
	EnableSGPRDispatchID           CodeProperties = 1 << 4
	EnableSGPRFlatScratchInit      CodeProperties = 1 << 5
	EnableSGPRPrivateSegmentSize   CodeProperties = 1 << 6
	EnableWavefrontSize32          CodeProperties = 1 << 10
	UsesDynamicStack               CodeProperties = 1 << 11
)

const descriptorSize = 64

func parseDescriptor(b []byte) Descriptor {
	preload := binary.LittleEndian.Uint16(b[58:])
	return Descriptor{
		GroupSegmentFixedSize:   binary.LittleEndian.Uint32(b[0:]),
		PrivateSegmentFixedSize: binary.LittleEndian.Uint32(b[4:]),
		KernargSize:             binary.LittleEndian.Uint32(b[8:]),
		EntryOffset:             int64(binary.LittleEndian.Uint64(b[16:])),
		ComputePgmRsrc3:         binary.LittleEndian.Uint32(b[44:]),
		ComputePgmRsrc1:         binary.LittleEndian.Uint32(b[48:]),
		ComputePgmRsrc2:         binary.LittleEndian.Uint32(b[52:]),
		Properties:              CodeProperties(binary.LittleEndian.Uint16(b[56:])),
		KernargPreloadLength:    preload & 0x7f,
		KernargPreloadOffset:    preload >> 7,
	}
}

// complete adds to a kernel of the metadata what its symbols and descriptor say, and checks that they agree.
func (o *Object) complete(k *Kernel) error {
	if k.Kind == "" {
		k.Kind = "normal"
	}
	if err := o.findCode(k); err != nil {
		return err
	}
	contradiction := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrInconsistent, fmt.Sprintf(format, args...))
	}
	d := &k.Descriptor
	for _, size := range []struct {
		name                 string
		metadata, descriptor uint32
	}{
		{"group segment", k.GroupSegmentFixedSize, d.GroupSegmentFixedSize},
		{"private segment", k.PrivateSegmentFixedSize, d.PrivateSegmentFixedSize},
		{"kernarg segment", k.KernargSize, d.KernargSize},
	} {
		if size.metadata != size.descriptor {
			return contradiction("%s of %d bytes in the metadata, %d in the descriptor", size.name, size.metadata, size.descriptor)
		}
	}
	arch, _ := o.Flags.arch()
	wave := uint32(64)
	if d.Properties&EnableWavefrontSize32 != 0 {
		wave = 32
	}
	switch preloadEnd := 4 * (uint32(d.KernargPreloadOffset) + uint32(d.KernargPreloadLength)); {
	case k.WavefrontSize != wave:
		return contradiction("wavefront size %d in the metadata, %d in the descriptor", k.WavefrontSize, wave)
	case wave == 32 && arch.waveSize != 32:
		return contradiction("wavefront size 32, which %s does not have", arch.name)
	case o.ABIVersion >= 5 && k.UsesDynamicStack != (d.Properties&UsesDynamicStack != 0):
		return contradiction("dynamic stack: %t in the metadata, not so in the descriptor", k.UsesDynamicStack)
	case uint64(preloadEnd) > (uint64(k.KernargSize)+3)&^3:
		return contradiction("%d bytes of arguments are preloaded, of %d", preloadEnd, k.KernargSize)
	case bits.OnesCount32(k.KernargAlign) != 1:
		return contradiction("a kernarg alignment of %d, which is no power of two", k.KernargAlign)
	}
	end := uint64(0)
	for i, arg := range k.Args {
		switch {
		case !arg.Kind.known():
			// To launch it all the same would be to pass nothing where the kernel expects something.
			return unsupported("argument %d is of a kind that is not known: %q", i, arg.Kind)
		case uint64(arg.Offset) < end:
			return contradiction("argument %d at offset %d overlaps the one before it, or is out of order", i, arg.Offset)
		}
		end = uint64(arg.Offset) + uint64(arg.Size)
		if end > uint64(k.KernargSize) {
			return contradiction("argument %d ends at byte %d of a kernarg segment of %d bytes", i, end, k.KernargSize)
		}
	}
	return nil
}

// findCode reads the descriptor and finds the code that it leads to.
func (o *Object) findCode(k *Kernel) error {
	symbol, ok := o.Symbol(k.DescriptorSymbol)
	if !ok || !symbol.Defined || symbol.Absolute {
		return fmt.Errorf("%w: no descriptor: symbol %q is not defined", ErrInconsistent, k.DescriptorSymbol)
	}
	if symbol.Size != descriptorSize {
		return fmt.Errorf("%w: symbol %q is of %d bytes, a descriptor of %d", ErrInconsistent, symbol.Name, symbol.Size, descriptorSize)
	}
	b, err := o.contents("descriptor", symbol.Value, descriptorSize)
	if err != nil {
		return err
	}
	k.DescriptorAddress, k.Descriptor = symbol.Value, parseDescriptor(b)

	code, ok := o.Symbol(k.Name)
	if !ok || !code.Defined || code.Absolute {
		return fmt.Errorf("%w: no code: symbol %q is not defined", ErrInconsistent, k.Name)
	}
	k.Entry, k.CodeSize = k.DescriptorAddress+uint64(k.Descriptor.EntryOffset), code.Size
	if k.Entry != code.Value {
		return fmt.Errorf("%w: the descriptor leads to address 0x%x, its symbol is at 0x%x", ErrInconsistent, k.Entry, code.Value)
	}
	if _, err := o.contents("code", k.Entry, max(k.CodeSize, 4)); err != nil {
		return err
	}
	if o.segment(k.Entry, 1).Flags&elf.PF_X == 0 {
		return fmt.Errorf("%w: the code at address 0x%x is not in an executable segment", ErrInconsistent, k.Entry)
	}
	return nil
}
