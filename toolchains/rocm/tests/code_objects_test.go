package tests

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	rocm "github.com/hiploom/hiploom/runtime"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What LLVM's AMDGPU guide says of e_flags from code object version 4 on.
const (
	machMask = 0xff

	xnackMask, xnackAny, xnackOff, xnackOn         = 0x300, 0x100, 0x200, 0x300
	sramECCMask, sramECCAny, sramECCOff, sramECCOn = 0xc00, 0x400, 0x800, 0xc00
)

// eFlags reads a code object and the word of its header that says what it was built for.
func eFlags(t *testing.T, path string) (*elf.File, uint32) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := elf.NewFile(strings.NewReader(string(content)))
	require.NoError(t, err)
	const amdGPU, amdHSA = 224, 64
	require.Equal(t, elf.Machine(amdGPU), file.Machine)
	require.Equal(t, elf.OSABI(amdHSA), file.OSABI)
	require.Equal(t, elf.ET_DYN, file.Type)
	return file, binary.LittleEndian.Uint32(content[48:])
}

func TestEveryArchitectureCompiles(t *testing.T) {
	for _, arch := range rocm.Archs() {
		file, flags := eFlags(t, "kernel-"+arch.String()+".hsaco")
		assert.Equal(t, mach[arch.String()], flags&machMask, "%s: e_flags name another processor", arch)
		if arch.IsGeneric() {
			assert.EqualValues(t, 1, flags>>24, "%s: generic code objects carry a version", arch)
		}
		symbols, err := file.DynamicSymbols()
		require.NoError(t, err)
		var names []string
		for _, symbol := range symbols {
			names = append(names, symbol.Name)
		}
		assert.Subset(t, names, []string{"kernel", "kernel.kd"}, arch)
	}
}

func TestFeaturesReachTheCodeObject(t *testing.T) {
	for name, want := range map[string]uint32{
		"kernel-gfx90a":                   xnackAny | sramECCAny,
		"kernel-gfx90a-sramecc_on-xnack-": xnackOff | sramECCOn,
		"kernel-gfx942-xnack_on":          xnackOn | sramECCAny,
		"kernel-gfx9-4-generic-xnack-":    xnackOff | sramECCAny,
		"kernel-gfx1100":                  0,
	} {
		_, flags := eFlags(t, name+".hsaco")
		assert.Equal(t, want, flags&(xnackMask|sramECCMask), name)
	}
}

func TestTheOtherLocksCompilerWorksToo(t *testing.T) {
	for _, arch := range []string{"gfx90a", "gfx1100"} {
		_, flags := eFlags(t, "kernel-trixie-"+arch+".hsaco")
		assert.Equal(t, mach[arch], flags&machMask, arch)
	}
}

// A path in the code would make it differ from machine to machine.
func TestNothingOfThisMachineIsInTheCode(t *testing.T) {
	paths, err := filepath.Glob("kernel-*.hsaco")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, trace := range []string{"/home/", "/root/", "/execroot/", "/sandbox/", "/tmp/", "_main~"} {
			assert.NotContains(t, string(content), trace, path)
		}
	}
}

// mach is EF_AMDGPU_MACH by processor, from the table "AMDGPU EF_AMDGPU_MACH Values" of LLVM's guide.
var mach = map[string]uint32{
	"gfx900": 0x2c, "gfx906": 0x2f, "gfx908": 0x30, "gfx90a": 0x3f, "gfx942": 0x4c, "gfx950": 0x4f,
	"gfx1010": 0x33, "gfx1012": 0x35,
	"gfx1030": 0x36, "gfx1031": 0x37, "gfx1032": 0x38, "gfx1033": 0x39, "gfx1034": 0x3e, "gfx1035": 0x3d, "gfx1036": 0x45,
	"gfx1100": 0x41, "gfx1101": 0x46, "gfx1102": 0x47, "gfx1103": 0x44,
	"gfx1150": 0x43, "gfx1151": 0x4a, "gfx1152": 0x55, "gfx1153": 0x58,
	"gfx1200": 0x48, "gfx1201": 0x4e,
	"gfx9-generic": 0x51, "gfx9-4-generic": 0x5f, "gfx10-1-generic": 0x52, "gfx10-3-generic": 0x53,
	"gfx11-generic": 0x54, "gfx12-generic": 0x59,
}
