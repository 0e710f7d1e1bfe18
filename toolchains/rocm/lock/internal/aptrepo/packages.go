package aptrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/control"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/policy"
)

// Package is one version of a package that a suite offers.
type Package struct {
	Name     string
	Version  policy.Version
	Filename string // Below the archive's root.
	SHA256   string
	Size     int64
}

// parsePackages adds to offered what an index says of the wanted packages.
func parsePackages(index []byte, architecture string, wanted map[string]bool, offered map[string][]Package) error {
	for reader := control.NewReader(bytes.NewReader(index)); ; {
		stanza, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := stanza.Get("Package")
		if own := stanza.Get("Architecture"); !wanted[name] || own != architecture && own != "all" {
			continue
		}
		p, err := parsePackage(stanza)
		if err != nil {
			return fmt.Errorf("package %s: %w; the archive is damaged, tell its owner", name, err)
		}
		known := false
		for _, q := range offered[name] {
			if q.Version.String() != p.Version.String() {
				continue
			}
			if q != p {
				return fmt.Errorf("package %s %s is listed twice, as %s and as %s; the archive is damaged, tell its owner", name, p.Version, q.Filename, p.Filename)
			}
			known = true
		}
		if !known {
			offered[name] = append(offered[name], p)
		}
	}
}

func parsePackage(stanza control.Stanza) (Package, error) {
	version, err := policy.ParseVersion(stanza.Get("Version"))
	size, sizeErr := strconv.ParseInt(stanza.Get("Size"), 10, 64)
	if sizeErr == nil {
		sizeErr = policy.CheckSize(size)
	} else {
		sizeErr = fmt.Errorf("bad Size %.40q", stanza.Get("Size"))
	}
	p := Package{stanza.Get("Package"), version, stanza.Get("Filename"), stanza.Get("SHA256"), size}
	return p, errors.Join(err, policy.CheckPackageName(p.Name), policy.CheckFilename(p.Filename), policy.CheckSHA256(p.SHA256), sizeErr)
}
