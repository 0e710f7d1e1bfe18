package codeobject_test

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/codeobject"
)

func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".hsaco"))
	require.NoError(t, err)
	return data
}

func read(t testing.TB, name string) *codeobject.Object {
	t.Helper()
	o, err := codeobject.Read(load(t, name))
	require.NoError(t, err)
	return o
}

func kernel(t testing.TB, o *codeobject.Object, name string) *codeobject.Kernel {
	t.Helper()
	k, ok := o.Kernel(name)
	require.True(t, ok, name)
	return k
}

func TestReadTellsTheTarget(t *testing.T) {
	const (
		unsupported = codeobject.Unsupported
		any         = codeobject.Any
		off         = codeobject.Off
		on          = codeobject.On
	)
	for _, test := range []struct {
		file, target string
		abi          int
		metadata     [2]uint32
		flags        codeobject.Flags
	}{
		{"gfx90a", "gfx90a", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x3f, XNACK: any, SRAMECC: any}},
		{"gfx90a-v5", "gfx90a:sramecc+:xnack-", 5, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x3f, XNACK: off, SRAMECC: on}},
		{"gfx942-xnack", "gfx942:xnack+", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x4c, XNACK: on, SRAMECC: any}},
		{"gfx1030", "gfx1030", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x36, XNACK: unsupported, SRAMECC: unsupported}},
		{"gfx1030-v4", "gfx1030", 4, [2]uint32{1, 1}, codeobject.Flags{Mach: 0x36}},
		{"gfx1100", "gfx1100", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x41}},
		{"gfx1201", "gfx1201", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x4e}},
		{"gfx11-generic", "gfx11-generic", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x54, GenericVersion: 1}},
		{"opencl", "gfx1100", 6, [2]uint32{1, 2}, codeobject.Flags{Mach: 0x41}},
	} {
		t.Run(test.file, func(t *testing.T) {
			o := read(t, test.file)
			assert.Equal(t, test.target, o.Target)
			assert.Equal(t, test.abi, o.ABIVersion)
			assert.Equal(t, test.metadata, o.MetadataVersion)
			assert.Equal(t, test.flags, o.Flags)
		})
	}
}

// sourceKernels are the kernels of kernels.cu, sorted.
var sourceKernels = []string{
	"_Z4fillIfEvPT_S0_", "bounded", "dynamic_shared", "empty_argument", "indirect", "no_arguments", "scalars", "scratch",
	"static_shared", "strided", "variables",
}

func TestReadFindsEveryKernelOnEveryTarget(t *testing.T) {
	for _, file := range []string{
		"gfx90a", "gfx90a-v5", "gfx942-xnack", "gfx1030", "gfx1030-v4", "gfx1100", "gfx1201", "gfx11-generic",
	} {
		t.Run(file, func(t *testing.T) {
			o := read(t, file)
			var names []string
			for i := range o.Kernels {
				k := &o.Kernels[i]
				names = append(names, k.Name)
				assert.Equal(t, k.Name+".kd", k.DescriptorSymbol)
				assert.Equal(t, "normal", k.Kind)
				wave := uint32(32)
				if strings.HasPrefix(file, "gfx9") {
					wave = 64
				}
				assert.Equal(t, wave, k.WavefrontSize)
				assert.Equal(t, wave == 32, k.Descriptor.Properties&codeobject.EnableWavefrontSize32 != 0)
			}
			assert.Equal(t, sourceKernels, names)

			assert.EqualValues(t, 128, kernel(t, o, "bounded").MaxFlatWorkgroupSize)
			assert.EqualValues(t, 1024, kernel(t, o, "strided").MaxFlatWorkgroupSize)
			assert.EqualValues(t, 256*4, kernel(t, o, "static_shared").GroupSegmentFixedSize)
			assert.EqualValues(t, 0, kernel(t, o, "dynamic_shared").GroupSegmentFixedSize)
			assert.GreaterOrEqual(t, kernel(t, o, "scratch").PrivateSegmentFixedSize, uint32(32*4))
			assert.Equal(t, [3]uint32{}, kernel(t, o, "bounded").ReqdWorkgroupSize)
			// Code object version 4 does not tell of a dynamic stack.
			assert.Equal(t, o.ABIVersion > 4, kernel(t, o, "indirect").UsesDynamicStack)
			assert.False(t, kernel(t, o, "scratch").UsesDynamicStack)

			_, ok := o.Kernel("twice")
			assert.False(t, ok)
		})
	}
}

func TestReadTellsResources(t *testing.T) {
	type resources struct {
		sgprs, vgprs, kernarg, kernargAlign, group, private uint32
	}
	for file, kernels := range map[string]map[string]resources{
		"gfx1100": {
			"scalars":           {13, 3, 80, 8, 0, 0},
			"empty_argument":    {3, 2, 16, 8, 0, 0},
			"no_arguments":      {0, 0, 0, 4, 0, 0},
			"static_shared":     {2, 3, 8, 8, 1024, 0},
			"scratch":           {5, 5, 8, 8, 0, 144},
			"strided":           {18, 4, 272, 8, 0, 0},
			"indirect":          {67, 41, 264, 8, 0, 0},
			"_Z4fillIfEvPT_S0_": {3, 2, 12, 8, 0, 0},
		},
		"gfx90a": {
			"scalars":       {21, 4, 80, 8, 0, 0},
			"no_arguments":  {4, 0, 0, 4, 0, 0},
			"static_shared": {10, 3, 8, 8, 1024, 0},
			"scratch":       {16, 7, 8, 8, 0, 144},
			"strided":       {13, 6, 272, 8, 0, 0},
			"indirect":      {74, 41, 264, 8, 0, 0},
		},
	} {
		o := read(t, file)
		for name, want := range kernels {
			k := kernel(t, o, name)
			got := resources{k.SGPRCount, k.VGPRCount, k.KernargSize, k.KernargAlign, k.GroupSegmentFixedSize, k.PrivateSegmentFixedSize}
			assert.Equal(t, want, got, "%s of %s", name, file)
			assert.Zero(t, k.SGPRSpillCount+k.VGPRSpillCount+k.AGPRCount)
			assert.Equal(t, file == "gfx1100", k.WorkgroupProcessorMode)
		}
	}
}

func TestArgsAreThoseOfTheSource(t *testing.T) {
	pointer := func(offset uint32, access string) codeobject.Arg {
		return codeobject.Arg{Offset: offset, Size: 8, Kind: codeobject.KindGlobalBuffer, AddressSpace: "global", ActualAccess: access}
	}
	value := func(offset, size uint32) codeobject.Arg {
		return codeobject.Arg{Offset: offset, Size: size, Kind: codeobject.KindByValue}
	}
	for _, file := range []string{"gfx90a", "gfx942-xnack", "gfx1030", "gfx1100", "gfx1201", "gfx11-generic"} {
		o := read(t, file)
		// float *, const int *, bool, half, double, Pair, char, short, Block, long long
		assert.Equal(t, []codeobject.Arg{
			pointer(0, ""), pointer(8, "read_only"), value(16, 1), value(18, 2), value(24, 8), value(32, 16), value(48, 1), value(50, 2),
			value(52, 20), value(72, 8),
		}, kernel(t, o, "scalars").Args, file)
		assert.Equal(t, []codeobject.Arg{pointer(0, ""), value(8, 1), value(12, 4)}, kernel(t, o, "empty_argument").Args, file)
		assert.Empty(t, kernel(t, o, "no_arguments").Args)
		assert.Equal(t, []codeobject.Arg{pointer(0, ""), value(8, 4)}, kernel(t, o, "strided").ExplicitArgs(), file)
		assert.Equal(t, []codeobject.Arg{pointer(0, "")}, kernel(t, o, "indirect").ExplicitArgs(), file)
	}
}

func TestHiddenArgsAreToldByKind(t *testing.T) {
	type hidden struct {
		offset, size uint32
		kind         codeobject.ValueKind
	}
	grid := []hidden{
		{16, 4, "hidden_block_count_x"}, {20, 4, "hidden_block_count_y"}, {24, 4, "hidden_block_count_z"},
		{28, 2, "hidden_group_size_x"}, {30, 2, "hidden_group_size_y"}, {32, 2, "hidden_group_size_z"},
		{34, 2, "hidden_remainder_x"}, {36, 2, "hidden_remainder_y"}, {38, 2, "hidden_remainder_z"},
		{56, 8, "hidden_global_offset_x"}, {64, 8, "hidden_global_offset_y"}, {72, 8, "hidden_global_offset_z"},
		{80, 2, "hidden_grid_dims"},
	}
	unknown := []hidden{
		{88, 8, "hidden_hostcall_buffer"}, {96, 8, "hidden_multigrid_sync_arg"}, {104, 8, "hidden_heap_v1"},
		{112, 8, "hidden_default_queue"}, {120, 8, "hidden_completion_action"}, {208, 8, "hidden_queue_ptr"},
	}
	hiddenArgs := func(k *codeobject.Kernel) (all []hidden) {
		for _, arg := range k.Args[len(k.ExplicitArgs()):] {
			require.True(t, arg.Kind.Hidden())
			all = append(all, hidden{arg.Offset, arg.Size, arg.Kind})
		}
		return all
	}
	assert.Equal(t, grid, hiddenArgs(kernel(t, read(t, "gfx1201"), "strided")))
	indirect := kernel(t, read(t, "gfx942-xnack"), "indirect")
	assert.Equal(t, unknown, hiddenArgs(indirect)[len(grid):])
	// Version 4 passes sizes in the dispatch packet, not in arguments.
	assert.Empty(t, hiddenArgs(kernel(t, read(t, "gfx1030-v4"), "strided")))
}

func TestOpenCLKernelsTellOfTypes(t *testing.T) {
	k := kernel(t, read(t, "opencl"), "described")
	assert.Equal(t, []codeobject.Arg{
		{Size: 8, Kind: codeobject.KindGlobalBuffer, AddressSpace: "global", TypeName: "float*", ActualAccess: "read_only", Const: true, Restrict: true},
		{Offset: 8, Size: 8, Kind: codeobject.KindGlobalBuffer, AddressSpace: "global", TypeName: "float*", Volatile: true},
		{Offset: 16, Size: 4, Kind: codeobject.KindDynamicSharedPointer, AddressSpace: "local", TypeName: "float*", PointeeAlign: 4},
		{Offset: 24, Size: 8, Kind: codeobject.KindGlobalBuffer, AddressSpace: "constant", TypeName: "int*", Const: true},
		{Offset: 32, Size: 8, Kind: codeobject.KindImage, TypeName: "image2d_t", Access: "read_only"},
		{Offset: 40, Size: 8, Kind: codeobject.KindSampler, TypeName: "sampler_t"},
		{Offset: 48, Size: 8, Kind: codeobject.KindQueue, TypeName: "queue_t"},
		{Offset: 64, Size: 16, Kind: codeobject.KindByValue, TypeName: "float4"},
	}, k.Args)
	assert.Equal(t, [3]uint32{32, 4, 2}, k.ReqdWorkgroupSize)
	assert.EqualValues(t, 256, k.MaxFlatWorkgroupSize)
	assert.EqualValues(t, 64, k.WavefrontSize, "wave64 on an architecture of 32 lanes")
	assert.EqualValues(t, 16, k.KernargAlign)
	assert.Equal(t, codeobject.Descriptor{
		KernargSize:     80,
		EntryOffset:     0x1080,
		ComputePgmRsrc1: 0xe0af0040,
		ComputePgmRsrc2: 0x84,
		ComputePgmRsrc3: 0x20,
		Properties:      codeobject.EnableSGPRKernargSegmentPtr,
	}, k.Descriptor)
	assert.EqualValues(t, 0x780, k.DescriptorAddress)
	assert.EqualValues(t, 0x1800, k.Entry)
	assert.EqualValues(t, 148, k.CodeSize)
}

func TestDescriptorIsParsedToTheBit(t *testing.T) {
	o := read(t, "gfx942-xnack")
	assert.Equal(t, codeobject.Descriptor{
		KernargSize:          80,
		EntryOffset:          0x1400,
		ComputePgmRsrc1:      0x00af0080,
		ComputePgmRsrc2:      0x8e,
		Properties:           codeobject.EnableSGPRKernargSegmentPtr,
		KernargPreloadLength: 5,
	}, kernel(t, o, "scalars").Descriptor)
	assert.Equal(t, codeobject.Descriptor{
		KernargSize:     264,
		EntryOffset:     0x26c0,
		ComputePgmRsrc1: 0x00af0245,
		ComputePgmRsrc2: 0x1395,
		ComputePgmRsrc3: 0xa,
		Properties: codeobject.EnableSGPRDispatchPtr | codeobject.EnableSGPRQueuePtr | codeobject.EnableSGPRKernargSegmentPtr |
			codeobject.EnableSGPRDispatchID | codeobject.UsesDynamicStack,
		KernargPreloadLength: 2,
	}, kernel(t, o, "indirect").Descriptor)
	scratch := kernel(t, o, "scratch")
	assert.EqualValues(t, 0x2440, scratch.DescriptorAddress)
	assert.EqualValues(t, 0x90, scratch.Descriptor.PrivateSegmentFixedSize)
	assert.EqualValues(t, 0x4000, scratch.Entry)
	assert.EqualValues(t, 1296, scratch.CodeSize)
}

func TestSegmentsSymbolsAndRelocationsAreWhatALoaderNeeds(t *testing.T) {
	data := load(t, "gfx942-xnack")
	before := bytes.Clone(data)
	o, err := codeobject.Read(data)
	require.NoError(t, err)
	assert.Equal(t, before, data, "Read leaves its input as it is")

	assert.Equal(t, []codeobject.Segment{
		{Address: 0, MemSize: 0x25d0, Align: 0x1000, Data: data[:0x25d0], Flags: elf.PF_R},
		{Address: 0x3600, MemSize: 0x1d14, Align: 0x1000, Data: data[0x2600:][:0x1d14], Flags: elf.PF_R | elf.PF_X},
		{Address: 0x6318, MemSize: 0xce8, Align: 0x1000, Data: data[0x4318:][:0xb0], Flags: elf.PF_R | elf.PF_W},
		{Address: 0x73d0, MemSize: 0x25, Align: 0x1000, Data: data[0x43d0:][:0x20], Flags: elf.PF_R | elf.PF_W},
	}, o.Segments)
	assert.Same(t, &data[0x2600], &o.Segments[1].Data[0], "segments are not copied")

	assert.Len(t, o.Symbols, 27)
	for _, want := range []codeobject.Symbol{
		{Name: "scalars", Value: 0x3700, Size: 480, Kind: elf.STT_FUNC, Defined: true},
		{Name: "scalars.kd", Value: 0x2300, Size: 64, Kind: elf.STT_OBJECT, Defined: true},
		{Name: "counter", Value: 0x73f0, Size: 4, Kind: elf.STT_OBJECT, Defined: true},
		{Name: "weights", Value: 0x73d0, Size: 16, Kind: elf.STT_OBJECT, Defined: true},
		{Name: "table", Value: 0x25c0, Size: 16, Kind: elf.STT_OBJECT, Defined: true},
	} {
		got, ok := o.Symbol(want.Name)
		require.True(t, ok, want.Name)
		assert.Equal(t, want, *got)
	}
	_, ok := o.Symbol("twice")
	assert.False(t, ok)

	assert.Equal(t, []codeobject.Relocation{
		{Address: 0x73e0, Type: codeobject.RelocationRelative64, Addend: 0x3600},
		{Address: 0x73e8, Type: codeobject.RelocationRelative64, Addend: 0x360c},
	}, o.Relocations)

	table, ok := o.Bytes(0x25c0, 16)
	require.True(t, ok)
	assert.Equal(t, []byte{0, 0, 0, 0x3f, 0, 0, 0xc0, 0x3f, 0, 0, 0x20, 0x40, 0, 0, 0x60, 0x40}, table, "0.5, 1.5, 2.5, 3.5")
	for _, nowhere := range [][2]uint64{{0x73f0, 4}, {0x25c0, 17}, {0x3000, 1}, {^uint64(0), 1}, {1, ^uint64(0)}} {
		_, ok := o.Bytes(nowhere[0], nowhere[1])
		assert.False(t, ok, "0x%x", nowhere)
	}
}
