// Package policy knows the syntax that Debian Policy gives names, versions and paths, and the order of versions.
package policy

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxVersion bounds a version's text; real ones stay under 100 bytes.
const maxVersion = 512

// Version is a parsed package version: [epoch:]upstream[-revision].
type Version struct {
	text     string
	epoch    int
	upstream string
	revision string
}

// ParseVersion reads a version, refusing what dpkg refuses.
func ParseVersion(text string) (Version, error) {
	v := Version{text: text, upstream: text}
	if text == "" {
		return Version{}, fmt.Errorf("version is empty")
	}
	if len(text) > maxVersion {
		return Version{}, fmt.Errorf("version has %d bytes, at most %d are allowed", len(text), maxVersion)
	}
	if epoch, rest, found := strings.Cut(text, ":"); found {
		if !allBytes(epoch, isDigit) || epoch == "" {
			return Version{}, fmt.Errorf("version %q: epoch is not a number", text)
		}
		n, err := strconv.Atoi(epoch)
		if err != nil || n > math.MaxInt32 {
			return Version{}, fmt.Errorf("version %q: epoch is too large", text)
		}
		v.epoch, v.upstream = n, rest
	}
	if i := strings.LastIndexByte(v.upstream, '-'); i >= 0 {
		v.upstream, v.revision = v.upstream[:i], v.upstream[i+1:]
		if v.revision == "" || !allBytes(v.revision, func(c byte) bool { return isAlnum(c) || strings.IndexByte("+.~", c) >= 0 }) {
			return Version{}, fmt.Errorf("version %q: bad revision %q", text, v.revision)
		}
	}
	// A colon may stand in the upstream version only after an epoch; the first colon has ended the epoch.
	if v.upstream == "" || !isDigit(v.upstream[0]) ||
		!allBytes(v.upstream, func(c byte) bool { return isAlnum(c) || strings.IndexByte("+.~-:", c) >= 0 }) {
		return Version{}, fmt.Errorf("version %q: bad upstream version %q", text, v.upstream)
	}
	return v, nil
}

// String returns the version as it was written.
func (v Version) String() string { return v.text }

// Compare orders versions as dpkg does: -1, 0 or 1. Versions that are written differently can be equal (1.0 and 0:1.0-0).
func (v Version) Compare(w Version) int {
	return cmp.Or(cmp.Compare(v.epoch, w.epoch), comparePart(v.upstream, w.upstream), comparePart(v.revision, w.revision))
}

// comparePart is dpkg's verrevcmp: alternately a run of non-digits, by weight, and a run of digits, by value.
func comparePart(a, b string) int {
	for a != "" || b != "" {
		for (a != "" && !isDigit(a[0])) || (b != "" && !isDigit(b[0])) {
			if c := cmp.Compare(weight(a), weight(b)); c != 0 {
				return c
			}
			a, b = a[1:], b[1:] // Equal weights of which one is not an end: both have a byte.
		}
		var m, n string
		m, a = cutNumber(a)
		n, b = cutNumber(b)
		// Without leading zeros a longer number is a larger one, however long it is.
		if c := cmp.Or(cmp.Compare(len(m), len(n)), strings.Compare(m, n)); c != 0 {
			return c
		}
	}
	return 0
}

// weight sorts a tilde before the end of a part, the end before letters, letters before everything else.
func weight(s string) int {
	switch {
	case s == "" || isDigit(s[0]):
		return 0
	case s[0] == '~':
		return -1
	case isAlpha(s[0]):
		return int(s[0])
	default:
		return int(s[0]) + 256
	}
}

func cutNumber(s string) (number, rest string) {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return strings.TrimLeft(s[:end], "0"), s[end:]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isAlpha(c byte) bool { return isLower(c) || 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool { return isAlpha(c) || isDigit(c) }

func allBytes(s string, allowed func(byte) bool) bool {
	for i := range len(s) {
		if !allowed(s[i]) {
			return false
		}
	}
	return true
}
