package rocm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, s string) Arch {
	t.Helper()
	arch, err := ParseArch(s)
	require.NoError(t, err)
	return arch
}

func TestParseArchReadsFeaturesInAnyOrder(t *testing.T) {
	for _, test := range []struct {
		in, canonical, processor string
		sramecc, xnack           Setting
	}{
		{"gfx1100", "gfx1100", "gfx1100", Any, Any},
		{"gfx90a", "gfx90a", "gfx90a", Any, Any},
		{"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", "gfx90a", On, Off},
		{"gfx90a:xnack-:sramecc+", "gfx90a:sramecc+:xnack-", "gfx90a", On, Off},
		{"gfx942:xnack+", "gfx942:xnack+", "gfx942", Any, On},
		{"gfx900:xnack-", "gfx900:xnack-", "gfx900", Any, Off},
		{"gfx9-4-generic:sramecc-", "gfx9-4-generic:sramecc-", "gfx9-4-generic", Off, Any},
		{"gfx10-1-generic:xnack+", "gfx10-1-generic:xnack+", "gfx10-1-generic", Any, On},
	} {
		arch, err := ParseArch(test.in)
		require.NoError(t, err, test.in)
		assert.Equal(t, test.canonical, arch.String())
		assert.Equal(t, test.processor, arch.Processor())
		assert.Equal(t, test.sramecc, arch.SRAMECC(), test.in)
		assert.Equal(t, test.xnack, arch.XNACK(), test.in)
		assert.Equal(t, arch, parse(t, arch.String()), "the canonical form reads back as the same value")
	}
}

func TestParseArchSaysWhatIsWrong(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "not an AMD GPU architecture",
		"gfx":                  "not an AMD GPU architecture",
		"sm_90":                "not an AMD GPU architecture",
		"GFX1100":              "not an AMD GPU architecture",
		"gfx1104":              "nearest: gfx1100, gfx1101, gfx1102, gfx1103",
		"gfx90b":               "nearest: gfx900, gfx906, gfx908, gfx90a",
		"gfx11_generic":        "nearest: gfx11-generic",
		"gfx1100:xnack+":       `gfx1100 has no feature "xnack"; it has none`,
		"gfx900:sramecc+":      `gfx900 has no feature "sramecc"; it has xnack`,
		"gfx90a:wavefront64+":  `gfx90a has no feature "wavefront64"; it has sramecc and xnack`,
		"gfx90a:xnack":         "ends in neither + nor -",
		"gfx90a:":              "ends in neither + nor -",
		"gfx90a:xnack+:xnack+": `feature "xnack" is set twice`,
		"gfx90a:xnack+:xnack-": `feature "xnack" is set twice`,
		" gfx90a":              "not an AMD GPU architecture",
		"gfx90a ":              "not an AMD GPU architecture",
	} {
		_, err := ParseArch(in)
		assert.ErrorContains(t, err, want, in)
	}
	_, err := ParseArch("gfx1")
	assert.ErrorIs(t, err, ErrUnknownArch)
}

// The expectations are LLVM's, from the table of generic processors in its AMDGPU guide.
func TestGenericTargetsCoverWhatLLVMSays(t *testing.T) {
	covered := map[string][]string{}
	for _, arch := range Archs() {
		generic, ok := arch.Generic()
		if arch.IsGeneric() {
			assert.False(t, ok, "%s is generic itself", arch)
			continue
		}
		covered[generic.String()] = append(covered[generic.String()], arch.String())
	}
	assert.Equal(t, map[string][]string{
		"":                {"gfx908", "gfx90a"},
		"gfx9-generic":    {"gfx900", "gfx906"},
		"gfx9-4-generic":  {"gfx942", "gfx950"},
		"gfx10-1-generic": {"gfx1010", "gfx1012"},
		"gfx10-3-generic": {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"},
		"gfx11-generic":   {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152", "gfx1153"},
		"gfx12-generic":   {"gfx1200", "gfx1201"},
	}, covered)
}

func TestTableIsConsistent(t *testing.T) {
	machs := map[uint32]string{}
	for _, info := range archs {
		assert.NotContains(t, machs, info.mach, info.name)
		machs[info.mach] = info.name
		if info.generic == "" {
			continue
		}
		generic, ok := lookup(info.generic)
		require.True(t, ok, "%s is covered by %s, which is not in the table", info.name, info.generic)
		assert.Equal(t, generic.waveSize, info.waveSize, info.name)
		assert.True(t, !generic.xnack || info.xnack, "%s lacks a feature of %s", info.name, info.generic)
		assert.True(t, !generic.sramecc || info.sramecc, "%s lacks a feature of %s", info.name, info.generic)
	}
}

func TestWaveSizeIs64BeforeRDNA(t *testing.T) {
	for name, want := range map[string]int{"gfx900": 64, "gfx90a": 64, "gfx950": 64, "gfx9-4-generic": 64, "gfx1010": 32, "gfx1201": 32, "gfx10-3-generic": 32} {
		assert.Equal(t, want, parse(t, name).WaveSize(), name)
	}
}

func TestRunsNeedsTheProcessorAndEverySetFeature(t *testing.T) {
	for _, test := range []struct {
		device, code string
		want         bool
	}{
		{"gfx1100", "gfx1100", true},
		{"gfx1100", "gfx11-generic", true},
		{"gfx1100", "gfx1101", false},
		{"gfx1100", "gfx10-3-generic", false},
		{"gfx11-generic", "gfx1100", false},
		{"gfx90a:sramecc+:xnack-", "gfx90a", true},
		{"gfx90a:sramecc+:xnack-", "gfx90a:xnack-", true},
		{"gfx90a:sramecc+:xnack-", "gfx90a:xnack+", false},
		{"gfx90a:sramecc+:xnack-", "gfx90a:sramecc-:xnack-", false},
		{"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", true},
		{"gfx90a:sramecc+:xnack-", "gfx9-generic", false},
		{"gfx90a", "gfx90a:xnack-", false},
		{"gfx942:sramecc+:xnack-", "gfx9-4-generic:xnack-", true},
		{"gfx942:sramecc+:xnack-", "gfx9-4-generic:xnack+", false},
		{"gfx908:sramecc+:xnack-", "gfx90a", false},
	} {
		assert.Equal(t, test.want, parse(t, test.device).Runs(parse(t, test.code)), "%s runs %s", test.device, test.code)
	}
	assert.False(t, Arch{}.Runs(Arch{}), "no architecture runs nothing")
	assert.False(t, parse(t, "gfx90a").Runs(Arch{}), "gfx90a has no generic target, and must not run code of no architecture")
}

func FuzzParseArch(f *testing.F) {
	for _, arch := range Archs() {
		f.Add(arch.String())
	}
	f.Add("gfx90a:sramecc+:xnack-")
	f.Add("gfx90a::")
	f.Fuzz(func(t *testing.T, s string) {
		arch, err := ParseArch(s)
		if err != nil {
			assert.Zero(t, arch)
			return
		}
		again, err := ParseArch(arch.String())
		require.NoError(t, err)
		assert.Equal(t, arch, again)
		assert.Contains(t, []int{32, 64}, arch.WaveSize())
	})
}
