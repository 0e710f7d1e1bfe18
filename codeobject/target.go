package codeobject

import (
	"fmt"
	"slices"
	"strings"
)

// Flags are the ELF header's e_flags.
type Flags struct {
	// Mach is the number of the processor or generic target, EF_AMDGPU_MACH.
	Mach           uint32
	XNACK, SRAMECC Setting
	// GenericVersion is the version of a generic target; 0 for a processor.
	GenericVersion uint8
}

// A Setting says which devices the code fits, as to a feature that a device runs with or without.
type Setting uint8

// The settings, by their number in e_flags.
const (
	Unsupported Setting = iota // The target has no such feature.
	Any                        // The code runs either way.
	Off
	On
)

func (s Setting) suffix(name string) string {
	switch s {
	case On:
		return name + "+"
	case Off:
		return name + "-"
	}
	return ""
}

// archInfo is a row of the table that toolchains/rocm/archs.bzl is the home of.
type archInfo struct {
	name           string
	mach           uint32
	generic        string
	waveSize       int
	family         string
	sramecc, xnack bool
}

func (f Flags) arch() (archInfo, bool) {
	i := slices.IndexFunc(archs, func(info archInfo) bool { return info.mach == f.Mach })
	if i < 0 {
		return archInfo{}, false
	}
	return archs[i], true
}

// setTarget reads e_flags and checks that the metadata says the same in words.
func (o *Object) setTarget(flags uint32, metadata *metadata) error {
	o.Flags = Flags{
		Mach:           flags & 0xff,
		XNACK:          Setting(flags >> 8 & 3),
		SRAMECC:        Setting(flags >> 10 & 3),
		GenericVersion: uint8(flags >> 24),
	}
	if unknown := flags & 0x00fff000; unknown != 0 {
		return fmt.Errorf("%w: e_flags 0x%x: bits 0x%x have no known meaning", ErrUnsupported, flags, unknown)
	}
	arch, ok := o.Flags.arch()
	if !ok {
		return fmt.Errorf("%w: machine number 0x%x in e_flags is of no known architecture", ErrUnsupported, o.Flags.Mach)
	}
	switch generic := strings.HasSuffix(arch.name, "-generic"); {
	case generic != (o.Flags.GenericVersion != 0):
		return fmt.Errorf("%w: %s with generic version %d", ErrInconsistent, arch.name, o.Flags.GenericVersion)
	case generic && o.ABIVersion < 6:
		return fmt.Errorf("%w: %s in code object version %d, generic targets came with 6", ErrInconsistent, arch.name, o.ABIVersion)
	}
	o.Target = arch.name + o.Flags.SRAMECC.suffix(":sramecc") + o.Flags.XNACK.suffix(":xnack")

	// A target triple comes first, whose last part, the environment, is empty or any word.
	_, id, ok := strings.Cut(strings.TrimPrefix(metadata.target, "amdgcn-amd-amdhsa-"), "-")
	if !ok || id != o.Target {
		return fmt.Errorf("%w: target %q in the metadata, %q in e_flags", ErrInconsistent, metadata.target, o.Target)
	}

	o.MetadataVersion = metadata.version
	want := [2]uint32{1, 2}
	if o.ABIVersion == 4 {
		want = [2]uint32{1, 1}
	}
	if o.MetadataVersion != want {
		return fmt.Errorf("%w: metadata version %v in code object version %d, %v expected", ErrInconsistent, o.MetadataVersion, o.ABIVersion, want)
	}
	return nil
}
