// Package resolve chooses the packages of a lock file from what an archive's suites offer.
package resolve

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/aptrepo"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/lockfile"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/policy"
)

// Request asks for a package: its newest version, unless one is given.
type Request struct{ Role, Package, Version string }

// ParseRequest reads role=package or role=package=version.
func ParseRequest(text string) (Request, error) {
	words := strings.Split(text, "=")
	if len(words) < 2 || len(words) > 3 {
		return Request{}, fmt.Errorf("%q is not of the form role=package or role=package=version", text)
	}
	return newRequest(words)
}

// ReadRequests reads a list of lines "role package [version]", with # comments.
func ReadRequests(r io.Reader) ([]Request, error) {
	var requests []Request
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) == 1 || len(words) > 3 {
			return nil, fmt.Errorf("line %d: not of the form: role package [version]", number)
		}
		request, err := newRequest(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		requests = append(requests, request)
	}
	return requests, lines.Err()
}

func newRequest(words []string) (Request, error) {
	r := Request{Role: words[0], Package: words[1]}
	err := errors.Join(policy.CheckLabel("role", r.Role), policy.CheckPackageName(r.Package))
	if len(words) == 3 {
		r.Version = words[2]
		_, versionErr := policy.ParseVersion(r.Version)
		err = errors.Join(err, versionErr)
	}
	return r, err
}

// Unique refuses requests of which two ask for the same package.
func Unique(requests []Request) error {
	var problems []error
	seen := map[string]bool{}
	for _, request := range requests {
		if seen[request.Package] {
			problems = append(problems, fmt.Errorf("package %s is asked for twice; a lock has a package once", request.Package))
		}
		seen[request.Package] = true
	}
	return errors.Join(problems...)
}

// Requests returns what a locked archive's packages were asked for by.
func Requests(lock *lockfile.Lock, archive string) []Request {
	var requests []Request
	for _, p := range lock.Packages {
		if p.Archive != archive {
			continue
		}
		request := Request{Role: p.Role, Package: p.Package}
		if p.Pinned {
			request.Version = p.Version
		}
		requests = append(requests, request)
	}
	return requests
}

// Wanted returns the names that requests ask for.
func Wanted(requests []Request) map[string]bool {
	wanted := map[string]bool{}
	for _, request := range requests {
		wanted[request.Package] = true
	}
	return wanted
}

// Packages answers the requests, in their order, from an archive's suites.
func Packages(requests []Request, archive string, suites []*aptrepo.Suite) ([]lockfile.Package, error) {
	var (
		packages []lockfile.Package
		problems []error
	)
	for _, request := range requests {
		suite, chosen := newest(suites, request.Package, request.Version)
		if chosen == nil {
			problems = append(problems, missing(request, suites))
			continue
		}
		packages = append(packages, lock(request, archive, suite, chosen))
	}
	return packages, errors.Join(problems...)
}

func lock(request Request, archive, suite string, p *aptrepo.Package) lockfile.Package {
	return lockfile.Package{
		Package: p.Name, Version: p.Version.String(), Archive: archive, Suite: suite,
		Filename: p.Filename, SHA256: p.SHA256, Size: p.Size, Role: request.Role, Pinned: request.Version != "",
	}
}

// newest returns the newest version, or the given one, from the first suite that has it.
func newest(suites []*aptrepo.Suite, name, version string) (suite string, best *aptrepo.Package) {
	for _, s := range suites {
		for i := range s.Packages[name] {
			p := &s.Packages[name][i]
			if version != "" && p.Version.String() != version {
				continue
			}
			// Versions that are equal but written differently must not depend on an index's order.
			if best != nil && cmp.Or(p.Version.Compare(best.Version), sameSuite(s.Name, suite, p, best)) <= 0 {
				continue
			}
			suite, best = s.Name, p
		}
	}
	return suite, best
}

func sameSuite(a, b string, p, q *aptrepo.Package) int {
	if a != b {
		return 0
	}
	return strings.Compare(p.Version.String(), q.Version.String())
}

func missing(request Request, suites []*aptrepo.Suite) error {
	var names, versions []string
	for _, suite := range suites {
		names = append(names, suite.Name)
		for _, p := range suite.Packages[request.Package] {
			versions = append(versions, p.Version.String()+" ("+suite.Name+")")
		}
	}
	if len(versions) > 0 {
		return fmt.Errorf("package %s has no version %s; there is %s: choose one of these, or drop the version", request.Package, request.Version, strings.Join(versions, ", "))
	}
	return fmt.Errorf("package %s is in none of the suites %s: check its name and the components, or name another suite", request.Package, strings.Join(names, ", "))
}

// Status says how a locked package compares with its archive.
type Status string

const (
	Current  Status = "current"  // Locked as it is available.
	Outdated Status = "outdated" // A newer version is available.
	Changed  Status = "changed"  // The locked version is now another file, or at another place.
	Gone     Status = "gone"     // The locked version is not available, nor is a newer one.
)

// Finding is what a check found of a package.
type Finding struct {
	Package   string `json:"package"`
	Status    Status `json:"status"`
	Locked    string `json:"locked"`
	Available string `json:"available"` // "" if no suite has the package.
	Suite     string `json:"suite"`     // Where it is available.
}

// String says what is to be done about the package.
func (f Finding) String() string {
	there := "nothing is available"
	if f.Available != "" {
		there = fmt.Sprintf("%s is available in %s", f.Available, f.Suite)
	}
	return fmt.Sprintf("%s: %s; %s is locked, %s", f.Package, f.Status, f.Locked, there)
}

// Check compares an archive's locked packages with its suites.
func Check(lock *lockfile.Lock, archive string, suites []*aptrepo.Suite) ([]Finding, error) {
	var findings []Finding
	for _, locked := range lock.Packages {
		if locked.Archive != archive {
			continue
		}
		lockedVersion, err := policy.ParseVersion(locked.Version)
		if err != nil {
			return nil, err
		}
		finding := Finding{Package: locked.Package, Status: Gone, Locked: locked.Version}
		suite, best := newest(suites, locked.Package, "")
		if locked.Pinned {
			if s, p := newest(suites, locked.Package, locked.Version); p != nil {
				suite, best = s, p
			}
		}
		if best != nil {
			finding.Available, finding.Suite = best.Version.String(), suite
			switch order := best.Version.Compare(lockedVersion); {
			case finding.Available == locked.Version && best.SHA256 == locked.SHA256 && best.Size == locked.Size && best.Filename == locked.Filename:
				finding.Status = Current
			case finding.Available == locked.Version:
				finding.Status = Changed
			case order >= 0 && !locked.Pinned:
				finding.Status = Outdated
			}
		}
		findings = append(findings, finding)
	}
	return findings, nil
}

// Changes describes, a line each, how a lock differs from an older one.
func Changes(old, new *lockfile.Lock) []string {
	var changes []string
	for _, archive := range new.Archives {
		for _, suite := range archive.Suites {
			if was := timestamp(old, archive.Name, suite.Suite); was != suite.Timestamp {
				changes = append(changes, fmt.Sprintf("%s/%s: %s -> %s", archive.Name, suite.Suite, cmp.Or(was, "new"), suite.Timestamp))
			}
		}
	}
	for _, p := range new.Packages {
		i := slices.IndexFunc(old.Packages, func(q lockfile.Package) bool { return q.Package == p.Package })
		switch {
		case i < 0:
			changes = append(changes, fmt.Sprintf("%s: new, %s", p.Package, p.Version))
		case old.Packages[i].Version != p.Version:
			changes = append(changes, fmt.Sprintf("%s: %s -> %s", p.Package, old.Packages[i].Version, p.Version))
		case old.Packages[i] != p:
			changes = append(changes, fmt.Sprintf("%s: %s is another file or at another place", p.Package, p.Version))
		}
	}
	for _, p := range old.Packages {
		if !slices.ContainsFunc(new.Packages, func(q lockfile.Package) bool { return q.Package == p.Package }) {
			changes = append(changes, fmt.Sprintf("%s: dropped, was %s", p.Package, p.Version))
		}
	}
	return changes
}

func timestamp(lock *lockfile.Lock, archive, suite string) string {
	for _, a := range lock.Archives {
		for _, s := range a.Suites {
			if a.Name == archive && s.Suite == suite {
				return s.Timestamp
			}
		}
	}
	return ""
}
