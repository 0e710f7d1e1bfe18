// Package codeobject reads AMDGPU code objects (.hsaco files): what kernels there are, what arguments and resources they
// take, and what a loader has to place in memory.
//
// Input is not trusted. Whatever it holds, Read neither panics nor allocates more than a small multiple of its size, and
// what Read returns has been checked to be consistent: an address that it promises to be inside a segment is inside one.
package codeobject

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What Read's errors wrap.
var (
	// ErrFormat says that the data is no code object, or a damaged one.
	ErrFormat = errors.New("not a valid AMDGPU code object")
	// ErrUnsupported says that the data is something known, but not something that this package reads.
	ErrUnsupported = errors.New("unsupported")
	// ErrInconsistent says that parts of the code object contradict each other.
	ErrInconsistent = errors.New("code object contradicts itself")
)

// Object is a code object.
type Object struct {
	// Target is the target ID that the code was compiled for, in LLVM's canonical form: "gfx90a:sramecc+:xnack-".
	Target string
	// Flags are what the ELF header says of the target; Target agrees with them.
	Flags Flags
	// ABIVersion is the version of the code object format: 4, 5 or 6.
	ABIVersion int
	// MetadataVersion is the major and minor version of the metadata: 1.1 in ABI version 4, 1.2 in 5 and 6.
	MetadataVersion [2]uint32
	// Kernels are sorted by name; no two have the same.
	Kernels []Kernel
	// Segments are what a loader places in memory, in ascending order of addresses, without overlap.
	Segments []Segment
	// Symbols are those of the dynamic symbol table, which survives stripping: kernels, their descriptors and variables
	// that the host can reach, but no internal functions.
	Symbols []Symbol
	// Relocations are what a loader adjusts once it knows where the segments lie.
	Relocations []Relocation

	symbolsByName map[string]*Symbol
}

// Segment is a part of the code object's memory. All addresses in a code object are relative to where a loader places it.
type Segment struct {
	Address uint64
	// MemSize is how much memory the segment takes: len(Data) or more, the rest is zero. It is as large as the file says,
	// up to the size of an address space: who allocates it decides what is too much.
	MemSize uint64
	// Align is a power of two.
	Align uint64
	// Data is part of what Read was given, and not to be modified.
	Data  []byte
	Flags elf.ProgFlag
}

// Symbol names an address. If Defined, its Size bytes lie in one segment, unless it is Absolute and thus no address.
type Symbol struct {
	Name              string
	Value, Size       uint64
	Kind              elf.SymType
	Defined, Absolute bool
}

// Relocation is a place in memory that depends on where the code object is loaded.
type Relocation struct {
	// Address is that of the place; all of the place's Type.Size() bytes lie in one segment.
	Address uint64
	Type    RelocationType
	// Symbol is nil where the relocation refers to none.
	Symbol *Symbol
	Addend int64
}

// RelocationType says how a relocation computes its value from S, the symbol's address, A, the addend, P, the address of
// the place, and B, the address at which the code object was loaded.
type RelocationType uint32

// The types that a linked code object may have.
const (
	RelocationAbs32Lo    RelocationType = 1  // The low half of S + A.
	RelocationAbs32Hi    RelocationType = 2  // The high half of S + A.
	RelocationAbs64      RelocationType = 3  // S + A.
	RelocationRel32      RelocationType = 4  // S + A - P.
	RelocationRel64      RelocationType = 5  // S + A - P.
	RelocationAbs32      RelocationType = 6  // S + A.
	RelocationRel32Lo    RelocationType = 10 // The low half of S + A - P.
	RelocationRel32Hi    RelocationType = 11 // The high half of S + A - P.
	RelocationRelative64 RelocationType = 13 // B + A.
)

// Size returns how many bytes a relocation of the type writes; 0 if the type is not one of the above.
func (t RelocationType) Size() int {
	switch t {
	case RelocationAbs64, RelocationRel64, RelocationRelative64:
		return 8
	case RelocationAbs32Lo, RelocationAbs32Hi, RelocationAbs32, RelocationRel32, RelocationRel32Lo, RelocationRel32Hi:
		return 4
	}
	return 0
}

// Read reads a code object. The result refers to data, which must not change while the result is in use.
func Read(data []byte) (*Object, error) {
	o, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("read code object: %w", err)
	}
	return o, nil
}

func read(data []byte) (*Object, error) {
	o := new(Object)
	file, err := o.readHeaders(data)
	if err != nil {
		return nil, err
	}
	if err := o.readDynamic(file.dynamic); err != nil {
		return nil, err
	}
	note, err := findMetadata(file.notes)
	if err != nil {
		return nil, err
	}
	metadata, err := readMetadata(string(note))
	if err != nil {
		return nil, fmt.Errorf("%w: metadata: %w", ErrFormat, err)
	}
	if err := o.setTarget(file.flags, metadata); err != nil {
		return nil, err
	}
	o.Kernels = metadata.kernels
	for i := range o.Kernels {
		if err := o.complete(&o.Kernels[i]); err != nil {
			return nil, fmt.Errorf("kernel %q: %w", o.Kernels[i].Name, err)
		}
	}
	slices.SortFunc(o.Kernels, func(a, b Kernel) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(o.Kernels); i++ {
		if o.Kernels[i].Name == o.Kernels[i-1].Name {
			return nil, fmt.Errorf("%w: kernel %q: the metadata has two of that name", ErrInconsistent, o.Kernels[i].Name)
		}
	}
	return o, nil
}

// Kernel returns the kernel of a name, and whether there is one.
func (o *Object) Kernel(name string) (*Kernel, bool) {
	i, ok := slices.BinarySearchFunc(o.Kernels, name, func(k Kernel, name string) int { return strings.Compare(k.Name, name) })
	if !ok {
		return nil, false
	}
	return &o.Kernels[i], true
}

// Symbol returns the symbol of a name, and whether there is one.
func (o *Object) Symbol(name string) (*Symbol, bool) {
	s, ok := o.symbolsByName[name]
	return s, ok
}

// Bytes returns what the code object places at an address. It is part of what Read was given, and not to be modified.
// Memory that no segment has contents for, such as that of variables without an initial value, it does not return.
func (o *Object) Bytes(address, size uint64) ([]byte, bool) {
	s := o.segment(address, size)
	if s == nil {
		return nil, false
	}
	return slice(s.Data, address-s.Address, size)
}

// contents is Bytes for what the code object needs to have there.
func (o *Object) contents(what string, address, size uint64) ([]byte, error) {
	b, ok := o.Bytes(address, size)
	if !ok {
		return nil, malformed("%s: no segment has contents for %d bytes at address 0x%x", what, size, address)
	}
	return b, nil
}

// segment returns the segment whose memory holds so many bytes at an address, or nil.
func (o *Object) segment(address, size uint64) *Segment {
	for i := range o.Segments {
		s := &o.Segments[i]
		if address >= s.Address && address-s.Address <= s.MemSize && size <= s.MemSize-(address-s.Address) {
			return s
		}
	}
	return nil
}

// slice returns data[offset:offset+size], if that is within data. What follows cannot be reached by appending to it.
func slice(data []byte, offset, size uint64) ([]byte, bool) {
	if offset > uint64(len(data)) || size > uint64(len(data))-offset {
		return nil, false
	}
	return data[offset : offset+size : offset+size], true
}
