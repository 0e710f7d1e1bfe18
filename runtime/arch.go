package rocm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrUnknownArch is what ParseArch's errors wrap.
var ErrUnknownArch = errors.New("not an AMD GPU architecture that hiploom knows")

// A Setting is how a target feature is set: in a device, how the device runs; in a code object, what it was built for.
type Setting uint8

// A feature that a code object leaves Any works with either setting of the device.
const (
	Any Setting = iota
	Off
	On
)

// Arch is an AMD GPU architecture with its feature settings, in LLVM's words a target ID, such as "gfx1100" or
// "gfx90a:sramecc+:xnack-". Archs are comparable; the zero Arch is none.
type Arch struct {
	name           string
	sramecc, xnack Setting
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

// Archs returns every architecture of the table, without feature settings: processors first, then generic targets.
func Archs() []Arch {
	all := make([]Arch, len(archs))
	for i, info := range archs {
		all[i] = Arch{name: info.name}
	}
	return all
}

// ParseArch reads a target ID: a processor or generic target, then feature settings in any order, as in
// "gfx90a:xnack-:sramecc+".
func ParseArch(s string) (Arch, error) {
	name, rest, more := strings.Cut(s, ":")
	info, ok := lookup(name)
	if !ok {
		return Arch{}, fmt.Errorf("parse architecture %q: %w%s", s, ErrUnknownArch, suggestion(name))
	}
	arch := Arch{name: name}
	for more {
		var item string
		item, rest, more = strings.Cut(rest, ":")
		feature, setting, err := parseFeature(item)
		if err != nil {
			return Arch{}, fmt.Errorf("parse architecture %q: %w", s, err)
		}
		var field *Setting
		switch {
		case feature == "sramecc" && info.sramecc:
			field = &arch.sramecc
		case feature == "xnack" && info.xnack:
			field = &arch.xnack
		default:
			return Arch{}, fmt.Errorf("parse architecture %q: %s has no feature %q%s", s, name, feature, info.featureList())
		}
		if *field != Any {
			return Arch{}, fmt.Errorf("parse architecture %q: feature %q is set twice", s, feature)
		}
		*field = setting
	}
	return arch, nil
}

func parseFeature(item string) (name string, setting Setting, err error) {
	if name, ok := strings.CutSuffix(item, "+"); ok {
		return name, On, nil
	}
	if name, ok := strings.CutSuffix(item, "-"); ok {
		return name, Off, nil
	}
	return "", Any, fmt.Errorf("feature %q ends in neither + nor -", item)
}

// String returns the target ID in LLVM's canonical form: features in alphabetical order, those that are Any left out.
func (a Arch) String() string {
	return a.name + a.sramecc.suffix(":sramecc") + a.xnack.suffix(":xnack")
}

func (s Setting) suffix(name string) string {
	switch s {
	case On:
		return name + "+"
	case Off:
		return name + "-"
	}
	return ""
}

// Processor returns the name without feature settings.
func (a Arch) Processor() string { return a.name }

// SRAMECC returns whether memory error correction is set; Any where the architecture has no such feature.
func (a Arch) SRAMECC() Setting { return a.sramecc }

// XNACK returns whether page-fault replay is set; Any where the architecture has no such feature.
func (a Arch) XNACK() Setting { return a.xnack }

// WaveSize returns how many lanes a wave has in code compiled for this architecture by default: 32 or 64.
func (a Arch) WaveSize() int { return a.info().waveSize }

// Family returns "gcn", "cdna" or "rdna".
func (a Arch) Family() string { return a.info().family }

// IsGeneric reports whether this is a generic target: one code object for several processors.
func (a Arch) IsGeneric() bool { return strings.HasSuffix(a.name, "-generic") }

// Generic returns the generic target whose code this processor runs, and whether there is one.
func (a Arch) Generic() (Arch, bool) {
	generic := a.info().generic
	return Arch{name: generic}, generic != ""
}

// Runs reports whether a device of this architecture runs code compiled for another: for its own processor or for the
// generic target that covers it, with every feature that the code was built for set alike.
func (a Arch) Runs(code Arch) bool {
	if code.name == "" || code.name != a.name && code.name != a.info().generic {
		return false
	}
	return (code.sramecc == Any || code.sramecc == a.sramecc) && (code.xnack == Any || code.xnack == a.xnack)
}

func (a Arch) info() archInfo {
	info, _ := lookup(a.name)
	return info
}

func lookup(name string) (archInfo, bool) {
	i := slices.IndexFunc(archs, func(info archInfo) bool { return info.name == name })
	if i < 0 {
		return archInfo{}, false
	}
	return archs[i], true
}

func (info archInfo) featureList() string {
	switch {
	case info.sramecc && info.xnack:
		return "; it has sramecc and xnack"
	case info.xnack:
		return "; it has xnack"
	}
	return "; it has none"
}

// suggestion names the architectures nearest to a name that is none, for an error message.
func suggestion(name string) string {
	const farthest = 2
	best, nearest := farthest+1, []string(nil)
	// An absurdly long name is near to nothing, and not worth the arithmetic.
	if len(name) > 32 {
		return ""
	}
	for _, info := range archs {
		switch d := editDistance(name, info.name); {
		case d < best:
			best, nearest = d, []string{info.name}
		case d == best && d <= farthest:
			nearest = append(nearest, info.name)
		}
	}
	if len(nearest) == 0 {
		return ""
	}
	return "; nearest: " + strings.Join(nearest, ", ")
}

// editDistance counts the single-byte insertions, deletions and replacements that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
