package codeobject_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/codeobject"
)

// image is gfx1100.hsaco to be damaged. Where things are in it is what debug/elf says: its sections are not what Read reads.
type image struct {
	t       *testing.T
	data    []byte
	symbols []elf.Symbol
}

func newImage(t *testing.T) *image {
	data := load(t, "gfx1100")
	f, err := elf.NewFile(bytes.NewReader(data))
	require.NoError(t, err)
	symbols, err := f.DynamicSymbols()
	require.NoError(t, err)
	return &image{t, data, symbols}
}

// section returns a section's contents, to be written to.
func (im *image) section(name string) []byte {
	f, err := elf.NewFile(bytes.NewReader(im.data))
	require.NoError(im.t, err)
	s := f.Section(name)
	require.NotNil(im.t, s, name)
	return im.data[s.Offset:][:s.Size]
}

func (im *image) index(symbol string) int {
	i := slices.IndexFunc(im.symbols, func(s elf.Symbol) bool { return s.Name == symbol })
	require.NotEqual(im.t, -1, i, symbol)
	return i
}

// symbol returns a symbol's entry in the symbol table. Its value is at 8, its size at 16.
func (im *image) symbol(name string) []byte {
	return im.section(".dynsym")[24*(im.index(name)+1):][:24]
}

// at returns a read-only symbol's contents, to be written to. There, addresses are offsets in the file.
func (im *image) at(name string) []byte {
	s := im.symbols[im.index(name)]
	return im.data[s.Value:][:s.Size]
}

// programHeader returns the bytes of a program header: 0 is PT_PHDR, 1 to 4 are the segments, 5 is PT_DYNAMIC.
func (im *image) programHeader(i int) []byte { return im.data[64+56*i:][:56] }

// dynamic returns the dynamic section's entry for a tag: 8 bytes of tag, 8 of value.
func (im *image) dynamic(tag elf.DynTag) []byte {
	for entry := im.section(".dynamic"); ; entry = entry[16:] {
		if elf.DynTag(binary.LittleEndian.Uint64(entry)) == tag {
			return entry[:16]
		}
	}
}

// note replaces a part of the metadata by one of the same length: the first from which it occurs.
func (im *image) note(old, new string) {
	require.Len(im.t, new, len(old))
	note := im.section(".note")
	i := bytes.Index(note, []byte(old))
	require.NotEqual(im.t, -1, i, old)
	copy(note[i:], new)
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	le := binary.LittleEndian
	for _, test := range []struct {
		name    string
		damage  func(*image)
		is      error
		message string
	}{
		// What is not a code object of the kind that is read here.
		{"empty", func(im *image) { im.data = nil }, codeobject.ErrFormat, "no ELF file"},
		{"text", func(im *image) { im.data = []byte("#!/bin/sh\n") }, codeobject.ErrFormat, "no ELF file"},
		{"short", func(im *image) { im.data = im.data[:63] }, codeobject.ErrFormat, "63 bytes are too few"},
		{"bundle", func(im *image) { im.data = append([]byte("__CLANG_OFFLOAD_BUNDLE__"), im.data...) }, codeobject.ErrUnsupported, "an offload bundle"},
		{"compressed bundle", func(im *image) { im.data = []byte("CCOB\x03\x00\x01\x00") }, codeobject.ErrUnsupported, "a compressed offload bundle (CCOB)"},
		{"32 bits", func(im *image) { im.data[4] = 1 }, codeobject.ErrUnsupported, "ELFCLASS32"},
		{"big endian", func(im *image) { im.data[5] = 2 }, codeobject.ErrUnsupported, "ELFDATA2MSB"},
		{"another OS", func(im *image) { im.data[7] = 65 }, codeobject.ErrUnsupported, "operating system ABI 65"},
		{"version 2", func(im *image) { im.data[8] = 0 }, codeobject.ErrUnsupported, "code object version 2"},
		{"version 3", func(im *image) { im.data[8] = 1 }, codeobject.ErrUnsupported, "code object version 3"},
		{"version 7", func(im *image) { im.data[8] = 5 }, codeobject.ErrUnsupported, "code object version 7"},
		{"relocatable", func(im *image) { im.data[16] = 1 }, codeobject.ErrUnsupported, "not linked"},
		{"executable", func(im *image) { im.data[16] = 2 }, codeobject.ErrFormat, "ET_EXEC"},
		{"another machine", func(im *image) { im.data[18] = 62 }, codeobject.ErrFormat, "EM_X86_64"},
		{"another ELF", func(im *image) { im.data[20] = 2 }, codeobject.ErrFormat, "ELF version 1, 2"},

		// The target.
		{"unknown machine number", func(im *image) { im.data[48] = 0xfe }, codeobject.ErrUnsupported, "machine number 0xfe"},
		{"unknown flags", func(im *image) { im.data[50] = 0x10 }, codeobject.ErrUnsupported, "bits 0x100000"},
		{"generic processor", func(im *image) { im.data[51] = 1 }, codeobject.ErrInconsistent, "gfx1100 with generic version 1"},
		{"old generic", func(im *image) {
			im.data = load(im.t, "gfx11-generic")
			im.data[8] = 3
		}, codeobject.ErrInconsistent, "generic targets came with 6"},
		{"versionless generic", func(im *image) {
			im.data = load(im.t, "gfx11-generic")
			im.data[51] = 0
		}, codeobject.ErrInconsistent, "gfx11-generic with generic version 0"},
		{"target of the metadata", func(im *image) { im.note("--gfx1100", "--gfx1101") }, codeobject.ErrInconsistent, `"gfx1100" in e_flags`},
		{"feature of the metadata", func(im *image) {
			im.data = load(im.t, "gfx90a-v5")
			im.data[49] ^= 1 // xnack- to xnack+
		}, codeobject.ErrInconsistent, `"gfx90a:sramecc+:xnack+" in e_flags`},
		{"version of the metadata", func(im *image) { im.data[8] = 2 }, codeobject.ErrInconsistent, "metadata version [1 2] in code object version 4"},

		// Program headers.
		{"many headers", func(im *image) { im.data[56] = 65 }, codeobject.ErrUnsupported, "65 program headers"},
		{"large headers", func(im *image) { im.data[54] = 57 }, codeobject.ErrFormat, "program headers of 57 bytes"},
		{"headers elsewhere", func(im *image) { le.PutUint64(im.data[32:], math.MaxUint64-8) }, codeobject.ErrFormat, "outside of the file"},
		{"contents elsewhere", func(im *image) { le.PutUint64(im.programHeader(2)[8:], math.MaxUint64-8) }, codeobject.ErrFormat, "program header 2: "},
		{"contents too large", func(im *image) { le.PutUint64(im.programHeader(2)[32:], math.MaxUint64) }, codeobject.ErrFormat, "outside of the file"},
		{"memory too small", func(im *image) { le.PutUint64(im.programHeader(2)[40:], 1) }, codeobject.ErrFormat, "a segment of 1 bytes"},
		{"memory too large", func(im *image) { le.PutUint64(im.programHeader(4)[40:], 1<<60) }, codeobject.ErrFormat, "outside of any address space"},
		{"high address", func(im *image) { le.PutUint64(im.programHeader(4)[16:], math.MaxUint64-8) }, codeobject.ErrFormat, "outside of any address space"},
		{"overlap", func(im *image) { le.PutUint64(im.programHeader(2)[16:], 0x1000) }, codeobject.ErrFormat, "overlaps"},
		{"alignment", func(im *image) { le.PutUint64(im.programHeader(2)[48:], 0x1001) }, codeobject.ErrFormat, "no power of two"},
		{"two dynamic sections", func(im *image) { copy(im.programHeader(0), im.programHeader(5)) }, codeobject.ErrFormat, "a second dynamic section"},
		{"code not executable", func(im *image) { im.programHeader(2)[4] &^= 1 }, codeobject.ErrInconsistent, `kernel "scalars": `},

		// Notes.
		{"no metadata", func(im *image) { im.section(".note")[8] = 10 }, codeobject.ErrFormat, "no metadata note"},
		{"another owner", func(im *image) { im.section(".note")[12] = 'a' }, codeobject.ErrFormat, "no metadata note"},
		{"two notes", func(im *image) { copy(im.programHeader(0), im.programHeader(8)) }, codeobject.ErrFormat, "more than one metadata note"},
		{"large note", func(im *image) { im.section(".note")[7] = 0xff }, codeobject.ErrFormat, "outside of its segment"},
		{"large owner", func(im *image) { im.section(".note")[3] = 0xff }, codeobject.ErrFormat, "outside of its segment"},

		// The dynamic section.
		{"no hash table", func(im *image) { im.dynamic(elf.DT_HASH)[0] = 0x70 }, codeobject.ErrUnsupported, "without DT_HASH"},
		{"hash table elsewhere", func(im *image) { im.dynamic(elf.DT_HASH)[12] = 1 }, codeobject.ErrFormat, "hash table"},
		{"too many symbols", func(im *image) { le.PutUint32(im.section(".hash")[4:], math.MaxUint32) }, codeobject.ErrFormat, "symbol table"},
		{"symbol size", func(im *image) { im.dynamic(elf.DT_SYMENT)[8] = 16 }, codeobject.ErrFormat, "symbols of 16 bytes"},
		{"names elsewhere", func(im *image) { im.dynamic(elf.DT_STRTAB)[15] = 0xff }, codeobject.ErrFormat, "string table"},
		{"name elsewhere", func(im *image) { im.section(".dynsym")[24+3] = 0xff }, codeobject.ErrFormat, "symbol 1: "},
		{"symbol elsewhere", func(im *image) { im.section(".dynsym")[24+15] = 0xff }, codeobject.ErrFormat, "outside of every segment"},
		{"same symbol twice", func(im *image) { copy(im.section(".dynsym")[24:48], im.section(".dynsym")[48:]) }, codeobject.ErrFormat, "two symbols are named"},
		{"relocations elsewhere", func(im *image) { im.dynamic(elf.DT_RELA)[15] = 0xff }, codeobject.ErrFormat, "relocations"},
		{"relocation size", func(im *image) { im.dynamic(elf.DT_RELASZ)[8] = 47 }, codeobject.ErrFormat, "47 bytes of relocations"},
		{"relocation elsewhere", func(im *image) { im.section(".rela.dyn")[7] = 0xff }, codeobject.ErrFormat, "relocation 0 is for address"},
		{"relocation type", func(im *image) { im.section(".rela.dyn")[24+8] = 99 }, codeobject.ErrUnsupported, "relocation 1 has type 99"},
		{"relocation symbol", func(im *image) { im.section(".rela.dyn")[12] = 28 }, codeobject.ErrFormat, "symbol 28, of 27"},
		{"other relocations", func(im *image) { le.PutUint64(im.dynamic(elf.DT_GNU_HASH), 36) }, codeobject.ErrUnsupported, "relocations in DT_RELR"},

		// The metadata by itself.
		{"no MessagePack", func(im *image) { im.section(".note")[20] = 0xc1 }, codeobject.ErrFormat, "where a map should be"},
		{"missing key", func(im *image) { im.note(".sgpr_count", ".sgpr_cuont") }, codeobject.ErrFormat, `("scalars"): .sgpr_count is missing`},
		{"double key", func(im *image) { im.note(".vgpr_count", ".sgpr_count") }, codeobject.ErrFormat, `("scalars"): .sgpr_count is given twice`},
		{"value of another type", func(im *image) { im.note(".kernarg_segment_align\x08", ".kernarg_segment_align\xc2") }, codeobject.ErrFormat, "true or false where a number should be"},
		{"argument without size", func(im *image) { im.note(".size", ".sise") }, codeobject.ErrFormat, ".args: element 0: .size is missing"},
		{"shape of version", func(im *image) { im.note("amdhsa.version\x92", "amdhsa.version\x91") }, codeobject.ErrFormat, "1 numbers, 2 expected"},

		// The metadata against the rest.
		{"no descriptor", func(im *image) { im.note("\xaascalars.kd", "\xaascalars.kx") }, codeobject.ErrInconsistent, `kernel "scalars": `},
		{"no code", func(im *image) { im.note("\xa7scalars", "\xa7scalarz") }, codeobject.ErrInconsistent, `symbol "scalarz" is not defined`},
		{"undefined descriptor", func(im *image) {
			for s := im.section(".dynsym"); len(s) > 0; s = s[24:] {
				s[6], s[7] = 0, 0
			}
		}, codeobject.ErrInconsistent, `symbol "scalars.kd" is not defined`},
		{"descriptor size", func(im *image) { im.symbol("scalars.kd")[16] = 63 }, codeobject.ErrInconsistent, `symbol "scalars.kd" is of 63 bytes`},
		{"descriptor without contents", func(im *image) {
			le.PutUint64(im.symbol("scalars.kd")[8:], le.Uint64(im.programHeader(3)[16:])+le.Uint64(im.programHeader(3)[32:]))
		}, codeobject.ErrFormat, "descriptor: no segment has contents"},
		{"code without contents", func(im *image) { im.symbol("scalars")[18] = 1 }, codeobject.ErrFormat, "scalars: 65808 bytes at address"},
		{"group segment", func(im *image) { im.at("scalars.kd")[0] = 4 }, codeobject.ErrInconsistent, `kernel "scalars": code object contradicts itself: group segment of 0 bytes in the metadata, 4 in the descriptor`},
		{"private segment", func(im *image) { im.at("bounded.kd")[4] = 4 }, codeobject.ErrInconsistent, `kernel "bounded": code object contradicts itself: private segment of 0`},
		{"kernarg segment", func(im *image) { im.at("scalars.kd")[8] = 88 }, codeobject.ErrInconsistent, "kernarg segment of 80 bytes in the metadata, 88"},
		{"entry", func(im *image) { im.at("scalars.kd")[16] ^= 4 }, codeobject.ErrInconsistent, "the descriptor leads to address 0x"},
		{"wave size", func(im *image) { im.at("scalars.kd")[57] &^= 4 }, codeobject.ErrInconsistent, "wavefront size 32 in the metadata, 64"},
		{"wave size in the metadata", func(im *image) { im.note(".wavefront_size\x20", ".wavefront_size\x40") }, codeobject.ErrInconsistent, "wavefront size 64 in the metadata, 32"},
		{"dynamic stack", func(im *image) { im.at("scalars.kd")[57] |= 8 }, codeobject.ErrInconsistent, "dynamic stack"},
		{"preloaded arguments", func(im *image) { im.at("scalars.kd")[58] = 21 }, codeobject.ErrInconsistent, "84 bytes of arguments are preloaded, of 80"},
		{"kernarg alignment", func(im *image) { im.note(".kernarg_segment_align\x08", ".kernarg_segment_align\x06") }, codeobject.ErrInconsistent, "alignment of 6"},
		{"short kernarg segment", func(im *image) {
			im.note(".kernarg_segment_size\x50", ".kernarg_segment_size\x4f")
			im.at("scalars.kd")[8] = 0x4f
		}, codeobject.ErrInconsistent, `kernel "scalars": code object contradicts itself: argument 9 ends at byte 80 of a kernarg segment of 79`},
		{"overlapping arguments", func(im *image) { im.note(".offset\x08", ".offset\x07") }, codeobject.ErrInconsistent, "argument 1 at offset 7 overlaps"},
		{"kind of argument", func(im *image) { im.note("global_buffer", "hidden_buffer") }, codeobject.ErrUnsupported, `argument 0 is of a kind that is not known: "hidden_buffer"`},
		{"two kernels of a name", func(im *image) {
			good := read(im.t, "gfx1100")
			im.note("\xa7scratch", "\xa7bounded")
			entry := int64(kernel(im.t, good, "bounded").Entry) - int64(kernel(im.t, good, "scratch").DescriptorAddress)
			le.PutUint64(im.at("scratch.kd")[16:], uint64(entry))
		}, codeobject.ErrInconsistent, `kernel "bounded": the metadata has two of that name`},
		{"wave size of another architecture", func(im *image) {
			im.data = load(im.t, "gfx90a")
			im.note(".wavefront_size\x40", ".wavefront_size\x20")
			im.data[0x2300+57] |= 4
		}, codeobject.ErrInconsistent, "wavefront size 32, which gfx90a does not have"},
	} {
		t.Run(test.name, func(t *testing.T) {
			im := newImage(t)
			test.damage(im)
			_, err := codeobject.Read(im.data)
			require.ErrorIs(t, err, test.is)
			assert.ErrorContains(t, err, "read code object: ")
			assert.ErrorContains(t, err, test.message)
		})
	}
}

// allocationFactor is how many times the size of its input Read may allocate, with all that it gives back on the way.
const (
	allocationFactor = 12
	allocationBase   = 16 << 10
)

// readMeasured reads, and checks what must hold whatever is read.
func readMeasured(t *testing.T, data []byte) *codeobject.Object {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o, err := codeobject.Read(data)
	runtime.ReadMemStats(&after)
	require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(allocationFactor*len(data)+allocationBase), "bytes allocated")
	if err != nil {
		require.Nil(t, o)
		return nil
	}
	checkBounds(t, data, o)
	return o
}

// checkBounds asserts that nothing an Object says leads outside of its input.
func checkBounds(t testing.TB, data []byte, o *codeobject.Object) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	end := uint64(0)
	for _, s := range o.Segments {
		at := uintptr(unsafe.Pointer(unsafe.SliceData(s.Data)))
		require.True(t, at >= start && at+uintptr(cap(s.Data)) <= start+uintptr(len(data)), "segment data is part of the input")
		require.LessOrEqual(t, uint64(len(s.Data)), s.MemSize)
		require.LessOrEqual(t, end, s.Address)
		end = s.Address + s.MemSize
	}
	inSegment := func(address, size uint64) bool {
		return slices.ContainsFunc(o.Segments, func(s codeobject.Segment) bool {
			return s.Address <= address && address <= s.Address+s.MemSize && size <= s.Address+s.MemSize-address
		})
	}
	for i := range o.Symbols {
		s := &o.Symbols[i]
		require.True(t, !s.Defined || s.Absolute || inSegment(s.Value, s.Size), s.Name)
		if s.Name != "" {
			found, ok := o.Symbol(s.Name)
			require.True(t, ok && found == s, s.Name)
		}
	}
	for _, r := range o.Relocations {
		require.True(t, inSegment(r.Address, uint64(r.Type.Size())) && r.Type.Size() > 0, r.Type)
	}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		_, ok := o.Bytes(k.DescriptorAddress, 64)
		require.True(t, ok, k.Name)
		_, ok = o.Bytes(k.Entry, max(k.CodeSize, 4))
		require.True(t, ok, k.Name)
		require.Equal(t, k.KernargSize, k.Descriptor.KernargSize)
		for _, arg := range k.Args {
			require.LessOrEqual(t, uint64(arg.Offset)+uint64(arg.Size), uint64(k.KernargSize))
		}
		// Looks at every string, wherever it points.
		for _, arg := range k.Args {
			require.True(t, arg.Kind.Hidden() || strings.ToLower(string(arg.Kind)) == string(arg.Kind))
			strings.Count(arg.Name+arg.TypeName+arg.AddressSpace+arg.Access+arg.ActualAccess, "x")
		}
		found, ok := o.Kernel(k.Name)
		require.True(t, ok && found == k, k.Name)
	}
}

func TestReadSurvivesTruncation(t *testing.T) {
	data := load(t, "opencl")
	whole := 0
	for n := range data {
		// A copy that ends where its memory does, so that reading beyond panics.
		if readMeasured(t, slices.Clip(bytes.Clone(data[:n]))) != nil {
			whole++
		}
	}
	// The last 0x3e8 bytes are a comment and section headers, which are not for loaders.
	assert.Equal(t, len(data)-0xb70, whole, "truncation is noticed down to the end of the last segment")
}

func TestReadSurvivesChangedBytes(t *testing.T) {
	for name, count := range map[string]int{"opencl": 7, "gfx942-xnack": 1} {
		good := load(t, name)
		data := bytes.Clone(good)
		for i, b := range good {
			for _, data[i] = range []byte{b ^ 0x80, b + 1, 0x00, 0x01, 0x7f, 0x80, 0xff}[:count] {
				readMeasured(t, data)
			}
			data[i] = b
		}
	}
}

func TestReadSurvivesChangesInManyPlaces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	good := load(t, "gfx1100")
	words := []uint64{0, 1, 0x7fffffff, 0xffffffff, 1 << 32, 1 << 47, math.MaxInt64, math.MaxUint64, uint64(len(good))}
	for range 5_000 {
		data := bytes.Clone(good)
		for range 1 + random.IntN(3) {
			binary.LittleEndian.PutUint64(data[random.IntN(len(data)/8)*8:], words[random.IntN(len(words))]+uint64(random.IntN(3))-1)
		}
		readMeasured(t, data)
	}
}

// hostileImage has one segment, which is all of the file: headers, a metadata note, and a dynamic section made by build,
// which gets the address at which what it returns first will be.
func hostileImage(metadata []byte, build func(at uint64) (contents []byte, dynamic map[elf.DynTag]uint64)) []byte {
	le := binary.LittleEndian
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 4}, Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_AMDGPU), Version: 1,
		Phoff: 64, Flags: 0x41, Ehsize: 64, Phentsize: 56, Phnum: 3,
	}
	note := le.AppendUint32(nil, 7)
	note = le.AppendUint32(note, uint32(len(metadata)))
	note = le.AppendUint32(note, 32)
	note = append(note, "AMDGPU\x00\x00"...)
	note = append(note, metadata...)
	noteSize := uint64(len(note))
	for len(note)%8 != 0 {
		note = append(note, 0)
	}
	const noteAt = 64 + 3*56
	var contents, dynamic []byte
	if build != nil {
		var tags map[elf.DynTag]uint64
		contents, tags = build(uint64(noteAt + len(note)))
		for tag, value := range tags {
			dynamic = le.AppendUint64(dynamic, uint64(tag))
			dynamic = le.AppendUint64(dynamic, value)
		}
	}
	size := uint64(noteAt + len(note) + len(contents) + len(dynamic))
	file, err := binary.Append(nil, le, header)
	if err != nil {
		panic(err)
	}
	for _, p := range []elf.Prog64{
		{Type: uint32(elf.PT_LOAD), Flags: 5, Filesz: size, Memsz: size},
		{Type: uint32(elf.PT_NOTE), Off: noteAt, Filesz: noteSize},
		{Type: uint32(elf.PT_DYNAMIC), Off: size - uint64(len(dynamic)), Filesz: uint64(len(dynamic))},
	} {
		if file, err = binary.Append(file, le, p); err != nil {
			panic(err)
		}
	}
	return slices.Concat(file, note, contents, dynamic)
}

const noKernels = "\x83\xaeamdhsa.kernels\x90\xadamdhsa.target\xbaamdgcn-amd-amdhsa--gfx1100\xaeamdhsa.version\x92\x01\x02"

func TestReadAllocatesInProportion(t *testing.T) {
	const n = 20_000
	le := binary.LittleEndian
	symbols := func(count int, name func(i int) uint32, names []byte) func(at uint64) ([]byte, map[elf.DynTag]uint64) {
		return func(at uint64) ([]byte, map[elf.DynTag]uint64) {
			contents := le.AppendUint64(nil, uint64(count)<<32)
			for i := range count {
				contents = le.AppendUint32(contents, name(i))
				contents = append(contents, make([]byte, 20)...)
			}
			return append(contents, names...), map[elf.DynTag]uint64{
				elf.DT_HASH: at, elf.DT_SYMTAB: at + 8, elf.DT_SYMENT: 24,
				elf.DT_STRTAB: at + 8 + 24*uint64(count), elf.DT_STRSZ: uint64(len(names)),
			}
		}
	}
	many := bytes.Repeat([]byte("name"), n)
	for i := range n {
		copy(many[4*i:], []byte{byte(i>>12) | 0x40, byte(i>>6&0x3f) | 0x40, byte(i&0x3f) | 0x40, 0})
	}
	announce := func(key string, header []byte) []byte {
		return slices.Concat([]byte{0x81}, []byte{0xa0 | byte(len(key))}, []byte(key), header, bytes.Repeat([]byte{0x80}, n))
	}
	tinyArg := "\x83\xa7.offset\x00\xa5.size\x00\xab.value_kind\xa0"
	for _, test := range []struct {
		name    string
		data    []byte
		message string
	}{
		{"nothing", hostileImage([]byte(noKernels), nil), ""},
		{"many symbols", hostileImage([]byte(noKernels), symbols(n, func(i int) uint32 { return uint32(4 * i) }, many)), ""},
		{"nameless symbols", hostileImage([]byte(noKernels), symbols(n, func(int) uint32 { return 0 }, []byte{0})), ""},
		{"names in each other", hostileImage([]byte(noKernels), symbols(n, func(i int) uint32 { return uint32(i) },
			append(bytes.Repeat([]byte("x"), n), 0))), "too long together"},
		{"names without end", hostileImage([]byte(noKernels), symbols(n, func(int) uint32 { return 0 }, bytes.Repeat([]byte("x"), n))), "no end"},
		{"announced kernels", hostileImage(announce("amdhsa.kernels", []byte{0xdd, 0xff, 0xff, 0xff, 0xff}), nil), "announces 4294967295 items"},
		{"empty kernels", hostileImage(announce("amdhsa.kernels", []byte{0xdc, n >> 8, n & 0xff}), nil), "element 0: .name is missing"},
		{"announced pairs", hostileImage([]byte{0xdf, 0xff, 0xff, 0xff, 0xff}, nil), "announces 4294967295 items"},
		{"tiny arguments", hostileImage(slices.Concat([]byte("\x81\xaeamdhsa.kernels\x91\x81\xa5.args\xdc"), []byte{n >> 8, n & 0xff},
			bytes.Repeat([]byte(tinyArg), n)), nil), ".name is missing"},
		{"deep nesting", hostileImage(slices.Concat([]byte{0x81, 0xa1, 'x'}, bytes.Repeat([]byte{0x91}, 50*n), []byte{0xc0}), nil), "amdhsa.target is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := codeobject.Read(test.data)
			if test.message == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.message)
				assert.Less(t, len(err.Error()), 1000)
			}
			readMeasured(t, test.data)
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range strings.Fields("gfx90a gfx90a-v5 gfx942-xnack gfx1030 gfx1030-v4 gfx1100 gfx1201 gfx11-generic opencl") {
		f.Add(load(f, name))
	}
	f.Add(hostileImage([]byte(noKernels), nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		o, err := codeobject.Read(data)
		require.Equal(t, before, data)
		require.Equal(t, err == nil, o != nil)
		if err == nil {
			checkBounds(t, data, o)
		}
	})
}

func TestRelocationsReferToSymbols(t *testing.T) {
	im := newImage(t)
	entry := im.section(".rela.dyn")
	entry[8] = byte(codeobject.RelocationAbs64)
	entry[12] = byte(im.index("weights") + 1)
	o, err := codeobject.Read(im.data)
	require.NoError(t, err)
	weights, ok := o.Symbol("weights")
	require.True(t, ok)
	assert.Same(t, weights, o.Relocations[0].Symbol)
	assert.Nil(t, o.Relocations[1].Symbol)
}
