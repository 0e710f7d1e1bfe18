// Package aptsources reads apt's list of archives, in both of its formats, and finds the machine's Debian mirrors in it.
package aptsources

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/control"
)

// maxFile bounds one file of sources.
const maxFile = 4 << 20

// Source is one entry that names binary packages; each URI serves each suite.
type Source struct {
	URIs, Suites, Components, Architectures []string
	SignedBy                                string // Key file, fingerprints, or an inline key.
}

// Read reads sources.list and sources.list.d of apt's configuration folder. An unreadable file costs only its own
// sources; the error then names it.
func Read(apt fs.FS) ([]Source, error) {
	var (
		sources  []Source
		problems []error
	)
	lists, _ := fs.Glob(apt, "sources.list.d/*.list")
	deb822, _ := fs.Glob(apt, "sources.list.d/*.sources")
	names := append(lists, deb822...)
	slices.Sort(names) // apt's order, in which a user ranks mirrors.
	for _, name := range append([]string{"sources.list"}, names...) {
		file, err := apt.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		parse := ParseList
		if path.Ext(name) == ".sources" {
			parse = ParseDeb822
		}
		found, err := parse(io.LimitReader(file, maxFile))
		if err = errors.Join(err, file.Close()); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
		sources = append(sources, found...)
	}
	return sources, errors.Join(problems...)
}

// ParseList reads the one-line format: deb [option=value ...] uri suite [component ...].
func ParseList(r io.Reader) ([]Source, error) {
	var sources []Source
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		kind, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(line, "\t", " ")), " ")
		rest = strings.TrimSpace(rest)
		if kind == "" || kind == "deb-src" {
			continue
		}
		if kind != "deb" {
			return sources, fmt.Errorf("line %d: %.40q is not a source", number, kind)
		}
		var source Source
		if options, found := strings.CutPrefix(rest, "["); found {
			if options, rest, found = strings.Cut(options, "]"); !found {
				return sources, fmt.Errorf("line %d: options lack their ]", number)
			}
			for _, option := range strings.Fields(options) {
				switch name, value, _ := strings.Cut(option, "="); strings.ToLower(name) {
				case "arch":
					source.Architectures = strings.Split(value, ",")
				case "signed-by":
					source.SignedBy = value
				}
			}
		}
		if strings.HasPrefix(strings.TrimSpace(rest), "cdrom:") {
			continue // Its name may hold blanks, and no program downloads from it.
		}
		words := strings.Fields(rest)
		if len(words) < 2 {
			return sources, fmt.Errorf("line %d: a source needs a URI and a suite", number)
		}
		source.URIs, source.Suites, source.Components = words[:1], words[1:2], words[2:]
		sources = append(sources, source)
	}
	return sources, lines.Err()
}

// ParseDeb822 reads the format of *.sources files.
func ParseDeb822(r io.Reader) ([]Source, error) {
	var sources []Source
	for reader := control.NewReader(r); ; {
		stanza, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return sources, nil
		}
		if err != nil {
			return sources, err
		}
		switch strings.ToLower(stanza.Get("Enabled")) {
		case "no", "false", "off", "disable", "without", "0":
			continue
		}
		if !slices.Contains(strings.Fields(stanza.Get("Types")), "deb") {
			continue
		}
		sources = append(sources, Source{
			URIs:          strings.Fields(stanza.Get("URIs")),
			Suites:        strings.Fields(stanza.Get("Suites")),
			Components:    strings.Fields(stanza.Get("Components")),
			Architectures: strings.Fields(stanza.Get("Architectures")),
			SignedBy:      stanza.Get("Signed-By"),
		})
	}
}

// DebianMirrors returns the roots of the Debian archive that sources name, in their order. A wrong guess does no harm:
// whatever a mirror sends must carry the archive's signature.
func DebianMirrors(sources []Source, architecture string) []string {
	var mirrors []string
	for _, source := range sources {
		if !source.isDebian(architecture) {
			continue
		}
		for _, uri := range source.URIs {
			root := strings.TrimRight(uri, "/") + "/"
			u, err := url.Parse(root)
			if err != nil || !slices.Contains([]string{"http", "https", "file"}, u.Scheme) ||
				// Vendors too name a folder debian, but then name their own key.
				path.Base(u.Path) != "debian" && !source.hasDebianKey() || slices.Contains(mirrors, root) {
				continue
			}
			mirrors = append(mirrors, root)
		}
	}
	return mirrors
}

func (s Source) isDebian(architecture string) bool {
	return slices.Contains(s.Components, "main") &&
		(len(s.Architectures) == 0 || slices.Contains(s.Architectures, architecture)) &&
		(!strings.HasPrefix(s.SignedBy, "/") || s.hasDebianKey()) &&
		// The security archive is another archive: it lacks most packages.
		!slices.ContainsFunc(s.Suites, func(suite string) bool {
			return strings.HasSuffix(suite, "-security") || strings.HasSuffix(suite, "/updates")
		})
}

func (s Source) hasDebianKey() bool {
	return strings.HasPrefix(s.SignedBy, "/") && strings.HasPrefix(path.Base(s.SignedBy), "debian-archive-")
}
