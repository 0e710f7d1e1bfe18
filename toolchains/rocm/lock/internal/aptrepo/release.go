package aptrepo

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/control"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/policy"
)

// maxIndex bounds a Packages index; Debian's largest is near 60 MB.
const maxIndex = 512 << 20

// release is a Release file: what a suite consists of. Only its signature makes it trustworthy.
type release struct {
	control.Stanza
	date       time.Time
	validUntil time.Time // Zero if the file names none.
	files      map[string]listed
}

// listed is what Release says of one file.
type listed struct {
	sha256 string
	size   int64
}

func parseRelease(data []byte) (*release, error) {
	reader := control.NewReader(bytes.NewReader(data))
	stanza, err := reader.Next()
	if err != nil {
		return nil, fmt.Errorf("not a Release file: %w", err)
	}
	r := &release{Stanza: stanza, files: map[string]listed{}}
	if r.date, err = parseDate(stanza.Get("Date")); err != nil {
		return nil, fmt.Errorf("the Release file has no usable Date: %w", err)
	}
	if until := stanza.Get("Valid-Until"); until != "" {
		if r.validUntil, err = parseDate(until); err != nil {
			return nil, fmt.Errorf("the Release file has a bad Valid-Until: %w", err)
		}
	}
	sums := stanza.Get("SHA256")
	if sums == "" {
		return nil, fmt.Errorf("the Release file lists no SHA256 sums; weaker ones prove nothing")
	}
	for line := range strings.Lines(sums) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 3 {
			return nil, fmt.Errorf("the Release file has a bad SHA256 line %.120q", line)
		}
		size, err := strconv.ParseInt(words[1], 10, 64)
		if err != nil || size < 0 || policy.CheckSHA256(words[0]) != nil {
			return nil, fmt.Errorf("the Release file has a bad SHA256 line %.120q", line)
		}
		file := listed{words[0], size}
		if old, found := r.files[words[2]]; found && old != file {
			return nil, fmt.Errorf("the Release file lists %.120q twice, differently", words[2])
		}
		r.files[words[2]] = file
	}
	return r, nil
}

// parseDate reads the date format of RFC 2822, in which apt archives write UTC, GMT or +0000.
func parseDate(text string) (time.Time, error) {
	for _, layout := range []string{"Mon, _2 Jan 2006 15:04:05 MST", "Mon, _2 Jan 2006 15:04:05 -0700"} {
		at, err := time.Parse(layout, text)
		if _, offset := at.Zone(); err == nil && at.Year() >= 1970 && at.Year() <= 9999 {
			// Go knows no offset for an unknown zone's name and takes 0.
			if zone := at.Location().String(); offset != 0 || zone == "UTC" || zone == "GMT" || zone == "" {
				return at.UTC(), nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%.60q is not a date", text)
}

// check refuses a Release that is genuine but not the one that was asked for.
func (r *release) check(suite, architecture string, components []string) error {
	if own, codename := r.Get("Suite"), r.Get("Codename"); suite != own && suite != codename {
		return fmt.Errorf("the Release file is of suite %.60q (codename %.60q), not %q: the mirror serves one suite in place of another; try another mirror", own, codename, suite)
	}
	if all := strings.Fields(r.Get("Architectures")); len(all) > 0 && !slices.Contains(all, architecture) {
		return fmt.Errorf("suite %s has no architecture %s, only %.120s", suite, architecture, printable(strings.Join(all, " ")))
	}
	all := strings.Fields(r.Get("Components"))
	for _, component := range components {
		if len(all) > 0 && !slices.Contains(all, component) {
			return fmt.Errorf("suite %s has no component %s, only %.120s", suite, component, printable(strings.Join(all, " ")))
		}
	}
	return nil
}

// indexes returns the paths, without the compression's suffix, of the indexes to read for a component.
func (r *release) indexes(component, architecture string) []string {
	paths := []string{component + "/binary-" + architecture + "/Packages"}
	// Most archives list packages for all architectures in each index too; some, in one of their own.
	separate := component + "/binary-all/Packages"
	if _, found := r.files[separate]; found && slices.Contains(strings.Fields(r.Get("Architectures")), "all") &&
		!slices.Contains(strings.Fields(r.Get("No-Support-for-Architecture-all")), "Packages") {
		paths = append(paths, separate)
	}
	return paths
}

func printable(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) }
