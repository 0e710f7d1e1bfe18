package policy

import (
	"fmt"
	"io/fs"
	"net/url"
	"strings"
)

const (
	maxName     = 256
	maxFilename = 1024
	// MaxPackageSize bounds one package file; AMD's largest libraries are near 2 GB.
	MaxPackageSize = 16 << 30
)

// CheckPackageName accepts binary package names: at least two of a-z 0-9 + - . and a letter or digit first.
func CheckPackageName(name string) error {
	if len(name) < 2 || len(name) > maxName || !isLower(name[0]) && !isDigit(name[0]) ||
		!allBytes(name, func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("+-.", c) >= 0 }) {
		return fmt.Errorf("bad package name %q: Debian Policy allows lower case letters, digits, dots, + and -", name)
	}
	return nil
}

// CheckLabel accepts the names that a lock file gives its archives and roles, and architectures.
func CheckLabel(what, label string) error {
	if label == "" || len(label) > maxName || !isLower(label[0]) && !isDigit(label[0]) ||
		!allBytes(label, func(c byte) bool { return isLower(c) || isDigit(c) || c == '-' }) {
		return fmt.Errorf("bad %s %q: lower case letters, digits and - are allowed", what, label)
	}
	return nil
}

// CheckSegment accepts a suite or component: one segment of an archive's path.
func CheckSegment(what, segment string) error {
	if segment == "" || len(segment) > maxName || !isAlnum(segment[0]) ||
		!allBytes(segment, func(c byte) bool { return isAlnum(c) || strings.IndexByte("+-._~", c) >= 0 }) {
		return fmt.Errorf("bad %s %q: letters, digits and + - . _ ~ are allowed", what, segment)
	}
	return nil
}

// CheckFilename accepts a path below an archive's root: relative, without "..", and without any byte that a URL or a
// terminal would read as something else.
func CheckFilename(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("file name is empty")
	case len(name) > maxFilename:
		return fmt.Errorf("file name has %d bytes, at most %d are allowed", len(name), maxFilename)
	case !allBytes(name, func(c byte) bool { return isAlnum(c) || strings.IndexByte("+-._~/:@=,", c) >= 0 }):
		return fmt.Errorf("file name %q has bytes that no path in an archive needs", name)
	case !fs.ValidPath(name) || name == ".":
		return fmt.Errorf("file name %q is not a plain relative path (no leading /, no . or .. segments)", name)
	case !strings.HasSuffix(name, ".deb"):
		return fmt.Errorf("file name %q does not end in .deb", name)
	}
	return nil
}

// CheckSHA256 accepts 64 lower case hexadecimal digits.
func CheckSHA256(sum string) error {
	if len(sum) != 64 || !allBytes(sum, func(c byte) bool { return isDigit(c) || 'a' <= c && c <= 'f' }) {
		return fmt.Errorf("bad SHA256 %.80q: 64 lower case hexadecimal digits are needed", sum)
	}
	return nil
}

// CheckSize accepts the size of a package file.
func CheckSize(size int64) error {
	if size <= 0 || size > MaxPackageSize {
		return fmt.Errorf("bad size %d: it must be between 1 and %d", size, int64(MaxPackageSize))
	}
	return nil
}

// CheckArchiveURL accepts the root of an archive: an http, https or file URL that holds no password.
func CheckArchiveURL(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("bad URL: %w", err)
	}
	switch {
	case u.User != nil:
		return fmt.Errorf("URL %s holds a user name or password, which does not belong in a lock file", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return fmt.Errorf("URL %q is not the root of an archive", address)
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return nil
	case u.Scheme == "file" && u.Host == "" && strings.HasPrefix(u.Path, "/"):
		return nil
	}
	return fmt.Errorf("URL %q is not an http, https or file URL", address)
}
