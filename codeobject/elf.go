package codeobject

// ELF is read here, and not by debug/elf, of which only the names of things are used: that one reads sections, which a
// loader ignores, and is meant for files that are trusted more. Program headers and the dynamic section say all.

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

const (
	headerSize        = 64
	programHeaderSize = 56
	dynamicSize       = 16
	symbolSize        = 24
	relocationSize    = 24

	osABI            = 64 // ELFOSABI_AMDGPU_HSA
	abiVersion4      = 2  // As e_ident counts: 0 is code object version 2.
	abiVersion6      = 4
	noteTypeMetadata = 32 // NT_AMDGPU_METADATA
	dynamicRELR      = elf.DynTag(36)

	maxAddress        = 1 << 48
	maxProgramHeaders = 64 // The linker writes nine. With a limit, looking at each segment for each symbol stays linear.
	maxNameOverlap    = 16 // How many names may hold a byte of the string table, on average. In a linker's table, few do.
)

// The first bytes of files in which a HIP compiler wraps code objects.
const (
	bundleMagic           = "__CLANG_OFFLOAD_BUNDLE__"
	compressedBundleMagic = "CCOB"
)

// file is what readHeaders finds.
type file struct {
	flags   uint32
	notes   [][]byte
	dynamic []byte
}

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

func unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsupported, fmt.Sprintf(format, args...))
}

// readHeaders reads the file header and the program headers.
func (o *Object) readHeaders(data []byte) (*file, error) {
	switch {
	case bytes.HasPrefix(data, []byte(compressedBundleMagic)):
		return nil, unsupported("a compressed offload bundle (CCOB) of code objects for several targets, not a code object")
	case bytes.HasPrefix(data, []byte(bundleMagic)):
		return nil, unsupported("an offload bundle of code objects for several targets, not a code object")
	case !bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return nil, malformed("no ELF file")
	case len(data) < headerSize:
		return nil, malformed("%d bytes are too few for an ELF header", len(data))
	}
	var header elf.Header64
	if _, err := binary.Decode(data, binary.LittleEndian, &header); err != nil {
		return nil, malformed("ELF header: %v", err)
	}
	switch ident := header.Ident; {
	case elf.Class(ident[elf.EI_CLASS]) != elf.ELFCLASS64:
		return nil, unsupported("%v, not a 64-bit ELF file", elf.Class(ident[elf.EI_CLASS]))
	case elf.Data(ident[elf.EI_DATA]) != elf.ELFDATA2LSB:
		return nil, unsupported("%v, not a little-endian ELF file", elf.Data(ident[elf.EI_DATA]))
	case elf.Machine(header.Machine) != elf.EM_AMDGPU:
		return nil, malformed("an ELF file for %v, not for AMDGPU", elf.Machine(header.Machine))
	case elf.Version(ident[elf.EI_VERSION]) != elf.EV_CURRENT || elf.Version(header.Version) != elf.EV_CURRENT:
		return nil, malformed("ELF version %d, %d", ident[elf.EI_VERSION], header.Version)
	case ident[elf.EI_OSABI] != osABI:
		return nil, unsupported("code for operating system ABI %d, not for HSA", ident[elf.EI_OSABI])
	case ident[elf.EI_ABIVERSION] < abiVersion4 || ident[elf.EI_ABIVERSION] > abiVersion6:
		return nil, unsupported("code object version %d, not 4 to 6", int(ident[elf.EI_ABIVERSION])+2)
	case elf.Type(header.Type) == elf.ET_REL:
		return nil, unsupported("a relocatable object, which is not linked yet")
	case elf.Type(header.Type) != elf.ET_DYN:
		return nil, malformed("an ELF file of type %v, not a shared object", elf.Type(header.Type))
	case header.Phentsize != programHeaderSize:
		return nil, malformed("program headers of %d bytes", header.Phentsize)
	case header.Phnum > maxProgramHeaders:
		return nil, unsupported("%d program headers, more than %d", header.Phnum, maxProgramHeaders)
	}
	o.ABIVersion = int(header.Ident[elf.EI_ABIVERSION]) + 2

	table, ok := slice(data, header.Phoff, uint64(header.Phnum)*programHeaderSize)
	if !ok {
		return nil, malformed("program headers lie outside of the file")
	}
	f := &file{flags: header.Flags}
	for i := range int(header.Phnum) {
		var p elf.Prog64
		if _, err := binary.Decode(table[i*programHeaderSize:], binary.LittleEndian, &p); err != nil {
			return nil, malformed("program header %d: %v", i, err)
		}
		if err := o.addSegment(f, data, p); err != nil {
			return nil, fmt.Errorf("program header %d: %w", i, err)
		}
	}
	return f, nil
}

func (o *Object) addSegment(f *file, data []byte, p elf.Prog64) error {
	switch elf.ProgType(p.Type) {
	case elf.PT_LOAD, elf.PT_DYNAMIC, elf.PT_NOTE:
	default:
		return nil
	}
	contents, ok := slice(data, p.Off, p.Filesz)
	if !ok {
		return malformed("its contents lie outside of the file")
	}
	switch elf.ProgType(p.Type) {
	case elf.PT_NOTE:
		f.notes = append(f.notes, contents)
		return nil
	case elf.PT_DYNAMIC:
		if f.dynamic != nil {
			return malformed("a second dynamic section")
		}
		f.dynamic = contents
		return nil
	}
	switch {
	case p.Memsz < p.Filesz:
		return malformed("%d bytes of contents for a segment of %d bytes", p.Filesz, p.Memsz)
	case p.Vaddr > maxAddress || p.Memsz > maxAddress-p.Vaddr:
		return malformed("0x%x bytes at address 0x%x are outside of any address space", p.Memsz, p.Vaddr)
	case bits.OnesCount64(p.Align) > 1:
		return malformed("an alignment of %d, which is no power of two", p.Align)
	}
	if n := len(o.Segments); n > 0 {
		if last := o.Segments[n-1]; p.Vaddr < last.Address+last.MemSize {
			return malformed("a segment overlaps the one before it, or is out of order")
		}
	}
	o.Segments = append(o.Segments, Segment{
		Address: p.Vaddr,
		MemSize: p.Memsz,
		Align:   max(p.Align, 1),
		Data:    contents,
		Flags:   elf.ProgFlag(p.Flags),
	})
	return nil
}

// findMetadata returns the contents of the metadata note.
func findMetadata(notes [][]byte) ([]byte, error) {
	var metadata []byte
	found := false
	for _, rest := range notes {
		for len(rest) > 0 {
			if len(rest) < 12 {
				return nil, malformed("a note is cut off")
			}
			nameSize := uint64(binary.LittleEndian.Uint32(rest))
			size := uint64(binary.LittleEndian.Uint32(rest[4:]))
			kind := binary.LittleEndian.Uint32(rest[8:])
			name, ok := slice(rest, 12, nameSize)
			start := 12 + (nameSize+3)&^3
			contents, ok2 := slice(rest, start, size)
			if !ok || !ok2 {
				return nil, malformed("a note lies outside of its segment")
			}
			if kind == noteTypeMetadata && string(name) == "AMDGPU\x00" {
				if found {
					return nil, malformed("more than one metadata note")
				}
				metadata, found = contents, true
			}
			// The last note need not be padded.
			rest = rest[min(uint64(len(rest)), start+(size+3)&^3):]
		}
	}
	if !found {
		return nil, malformed("no metadata note")
	}
	return metadata, nil
}

// readDynamic reads the dynamic symbol table and the relocations.
func (o *Object) readDynamic(dynamic []byte) error {
	if len(dynamic)%dynamicSize != 0 {
		return malformed("a dynamic section of %d bytes", len(dynamic))
	}
	var hash, symbols, symbolEntry, names, namesSize, relocations, relocationsSize, relocationEntry uint64
scan:
	for ; len(dynamic) > 0; dynamic = dynamic[dynamicSize:] {
		value := binary.LittleEndian.Uint64(dynamic[8:])
		switch tag := elf.DynTag(binary.LittleEndian.Uint64(dynamic)); tag {
		case elf.DT_NULL:
			break scan
		case elf.DT_HASH:
			hash = value
		case elf.DT_SYMTAB:
			symbols = value
		case elf.DT_SYMENT:
			symbolEntry = value
		case elf.DT_STRTAB:
			names = value
		case elf.DT_STRSZ:
			namesSize = value
		case elf.DT_RELA:
			relocations = value
		case elf.DT_RELASZ:
			relocationsSize = value
		case elf.DT_RELAENT:
			relocationEntry = value
		case elf.DT_REL, elf.DT_JMPREL:
			return unsupported("relocations in %v", tag)
		case dynamicRELR:
			return unsupported("relocations in DT_RELR, as lld -z pack-relative-relocs makes them")
		}
	}
	if symbols != 0 {
		switch {
		case symbolEntry != symbolSize:
			return malformed("symbols of %d bytes", symbolEntry)
		case hash == 0:
			// Nothing else says how many symbols there are, short of the section headers.
			return unsupported("a dynamic symbol table without DT_HASH, as lld --hash-style=gnu makes it")
		}
		if err := o.readSymbols(hash, symbols, names, namesSize); err != nil {
			return err
		}
	}
	if relocationsSize != 0 {
		if relocationEntry != relocationSize || relocationsSize%relocationSize != 0 {
			return malformed("%d bytes of relocations of %d bytes each", relocationsSize, relocationEntry)
		}
		if err := o.readRelocations(relocations, relocationsSize); err != nil {
			return err
		}
	}
	return nil
}

func (o *Object) readSymbols(hash, address, names, namesSize uint64) error {
	hashHeader, err := o.contents("hash table", hash, 8)
	if err != nil {
		return err
	}
	// The hash table has a chain entry for each symbol.
	count := uint64(binary.LittleEndian.Uint32(hashHeader[4:]))
	table, err := o.contents("symbol table", address, count*symbolSize)
	if err != nil {
		return err
	}
	nameBytes, err := o.contents("string table", names, namesSize)
	if err != nil {
		return err
	}
	if count < 2 {
		return nil // The first symbol is none.
	}
	nameTable := stringTable{string(nameBytes), maxNameOverlap*len(nameBytes) + int(count)}
	o.Symbols = make([]Symbol, count-1)
	o.symbolsByName = make(map[string]*Symbol, count-1)
	for i := range o.Symbols {
		entry := table[(i+1)*symbolSize:]
		section := elf.SectionIndex(binary.LittleEndian.Uint16(entry[6:]))
		s := &o.Symbols[i]
		*s = Symbol{
			Value:    binary.LittleEndian.Uint64(entry[8:]),
			Size:     binary.LittleEndian.Uint64(entry[16:]),
			Kind:     elf.ST_TYPE(entry[4]),
			Defined:  section != elf.SHN_UNDEF,
			Absolute: section == elf.SHN_ABS,
		}
		if s.Name, err = nameTable.at(binary.LittleEndian.Uint32(entry)); err != nil {
			return fmt.Errorf("symbol %d: %w", i+1, err)
		}
		if s.Defined && !s.Absolute && o.segment(s.Value, s.Size) == nil {
			return malformed("%s: %d bytes at address 0x%x are outside of every segment", s.Name, s.Size, s.Value)
		}
		if s.Name == "" {
			continue
		}
		if o.symbolsByName[s.Name] != nil {
			return malformed("two symbols are named %s", s.Name)
		}
		o.symbolsByName[s.Name] = s
	}
	return nil
}

func (o *Object) readRelocations(address, size uint64) error {
	table, err := o.contents("relocations", address, size)
	if err != nil {
		return err
	}
	o.Relocations = make([]Relocation, len(table)/relocationSize)
	for i := range o.Relocations {
		entry := table[i*relocationSize:]
		r := &o.Relocations[i]
		*r = Relocation{
			Address: binary.LittleEndian.Uint64(entry),
			Type:    RelocationType(binary.LittleEndian.Uint32(entry[8:])),
			Addend:  int64(binary.LittleEndian.Uint64(entry[16:])),
		}
		symbol := binary.LittleEndian.Uint32(entry[12:])
		switch {
		case r.Type.Size() == 0:
			return unsupported("relocation %d has type %d", i, r.Type)
		case o.segment(r.Address, uint64(r.Type.Size())) == nil:
			return malformed("relocation %d is for address 0x%x, outside of every segment", i, r.Address)
		case uint64(symbol) > uint64(len(o.Symbols)):
			return malformed("relocation %d is for symbol %d, of %d", i, symbol, len(o.Symbols))
		case symbol != 0:
			r.Symbol = &o.Symbols[symbol-1]
		}
	}
	return nil
}

// stringTable reads names. Names may overlap, and a hostile file could make a few kilobytes of them into gigabytes for
// those who look at each: budget is how many bytes of names, with their ends, it hands out.
type stringTable struct {
	all    string
	budget int
}

func (t *stringTable) at(offset uint32) (string, error) {
	if uint64(offset) > uint64(len(t.all)) {
		return "", malformed("name lies outside of the string table")
	}
	rest := t.all[offset:]
	rest = rest[:min(len(rest), t.budget)]
	end := strings.IndexByte(rest, 0)
	if end < 0 {
		return "", malformed("name has no end in the string table, or all are too long together")
	}
	t.budget -= end + 1
	return rest[:end], nil
}
