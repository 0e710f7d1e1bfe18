// Package command is the command line of the lock program.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/aptrepo"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/aptsources"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/lockfile"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/policy"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/resolve"
)

// Exit statuses.
const (
	OK        = 0
	OutOfDate = 1
	Failed    = 2
)

// mirrorVariable lists Debian mirrors that come before those of the machine's apt sources.
const mirrorVariable = "HIPLOOM_DEB_MIRROR"

// Environment is what the program sees of its machine.
type Environment struct {
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	Apt            fs.FS // apt's configuration folder.
	Now            func() time.Time
}

// Run runs the program and returns its exit status.
func Run(ctx context.Context, args []string, env Environment) int {
	p := &program{Environment: env}
	if done, err := p.parse(args); err != nil {
		p.log("%v", err)
		p.log("bazel run //toolchains/rocm:lock -- --help tells more")
		return Failed
	} else if done {
		return OK
	}
	status, err := p.run(ctx)
	if err != nil {
		p.log("%v", err)
		return Failed
	}
	return status
}

type program struct {
	Environment
	flags
}

func (p *program) log(format string, args ...any) {
	fmt.Fprintln(p.Stderr, "lock: "+strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n      "))
}

func (p *program) run(ctx context.Context) (int, error) {
	switch {
	case p.newFile != "":
		return OK, p.create(ctx, p.path(p.newFile))
	case p.addFile != "":
		return OK, p.add(ctx, p.path(p.addFile))
	case p.updateFile != "":
		return OK, p.update(ctx, p.path(p.updateFile))
	}
	return p.check(ctx, p.path(p.checkFile))
}

// path makes a user's path absolute: bazel run starts programs in a folder of its own.
func (p *program) path(name string) string {
	if base := p.Getenv("BUILD_WORKING_DIRECTORY"); base != "" && !filepath.IsAbs(name) {
		return filepath.Join(base, name)
	}
	return name
}

func (p *program) create(ctx context.Context, file string) error {
	old, err := lockfile.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = &lockfile.Lock{}, nil
	}
	if err != nil {
		return fmt.Errorf("%w; refuse to overwrite it, remove it first", err)
	}
	lock := &lockfile.Lock{Schema: lockfile.Schema, Architecture: p.architecture}
	if err := p.addArchive(ctx, file, lock); err != nil {
		return err
	}
	return p.write(file, old, lock)
}

func (p *program) add(ctx context.Context, file string) error {
	old, err := lockfile.Read(file)
	if err != nil {
		return err
	}
	lock := *old
	lock.Archives, lock.Packages = slices.Clone(old.Archives), slices.Clone(old.Packages)
	if err := p.addArchive(ctx, file, &lock); err != nil {
		return err
	}
	return p.write(file, old, &lock)
}

// addArchive adds the archive and the packages that the flags describe.
func (p *program) addArchive(ctx context.Context, file string, lock *lockfile.Lock) error {
	requests, err := p.requests()
	if err != nil {
		return err
	}
	archive := lockfile.Archive{Name: p.archive, Mirror: p.mirrors.only(), Snapshot: p.snapshot, Keyring: p.keyrings.only()}
	if archive.Mirror != "" {
		archive.Mirror = strings.TrimRight(archive.Mirror, "/") + "/"
	}
	if archive.Keyring == "" {
		archive.Keyring = defaultKeyring
	}
	if archive.Keyring, err = relativeTo(file, p.path(archive.Keyring), archive.Keyring); err != nil {
		return err
	}
	for _, suite := range p.suites {
		archive.Suites = append(archive.Suites, lockfile.Suite{Suite: suite, Components: p.components})
	}
	return p.resolve(ctx, file, lock, archive, requests)
}

// relativeTo keeps an absolute path, and makes another one start at the lock file's folder.
func relativeTo(file, path, given string) (string, error) {
	if filepath.IsAbs(given) {
		return given, nil
	}
	folder, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	relative, err := filepath.Rel(folder, path)
	return filepath.ToSlash(relative), err
}

// resolve appends an archive, and what it has for the requests, to the lock.
func (p *program) resolve(ctx context.Context, file string, lock *lockfile.Lock, archive lockfile.Archive, requests []resolve.Request) error {
	suites, err := p.read(ctx, file, lock.Architecture, archive, resolve.Wanted(requests))
	if err != nil {
		return err
	}
	packages, err := resolve.Packages(requests, archive.Name, suites)
	if err != nil {
		return err
	}
	archive.Suites = slices.Clone(archive.Suites)
	for i, suite := range suites {
		archive.Suites[i].Timestamp = suite.Date.Format(lockfile.TimestampLayout)
	}
	lock.Archives = append(lock.Archives, archive)
	lock.Packages = append(lock.Packages, packages...)
	return nil
}

func (p *program) requests() ([]resolve.Request, error) {
	requests := slices.Clone(p.packages)
	if p.packagesFile != "" {
		file, err := os.Open(p.path(p.packagesFile))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		listed, err := resolve.ReadRequests(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.packagesFile, err)
		}
		requests = append(requests, listed...)
	}
	if len(requests) == 0 {
		return nil, errors.New("no packages asked for: name them with --package or --packages")
	}
	return requests, resolve.Unique(requests)
}

// open reads the lock that the flags for single archives refer to.
func (p *program) open(file string) (*lockfile.Lock, error) {
	lock, err := lockfile.Read(file)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, archive := range lock.Archives {
		names = append(names, archive.Name)
	}
	return lock, errors.Join(p.mirrors.check("mirror", names), p.keyrings.check("keyring", names))
}

func (p *program) update(ctx context.Context, file string) error {
	old, err := p.open(file)
	if err != nil {
		return err
	}
	lock := &lockfile.Lock{Schema: lockfile.Schema, Architecture: old.Architecture}
	for _, archive := range old.Archives {
		if err := p.resolve(ctx, file, lock, archive, resolve.Requests(old, archive.Name)); err != nil {
			return fmt.Errorf("%w\n%s is as it was", err, file)
		}
	}
	// Archives may take turns in the list, whose order is the user's.
	order := map[string]int{}
	for i, locked := range old.Packages {
		order[locked.Package] = i
	}
	slices.SortStableFunc(lock.Packages, func(a, b lockfile.Package) int { return order[a.Package] - order[b.Package] })
	return p.write(file, old, lock)
}

func (p *program) write(file string, old, lock *lockfile.Lock) error {
	if err := lock.Write(file); err != nil {
		return err
	}
	changes := resolve.Changes(old, lock)
	for _, change := range changes {
		fmt.Fprintln(p.Stdout, change)
	}
	if len(changes) == 0 {
		fmt.Fprintln(p.Stdout, "no change")
	}
	var size int64
	for _, locked := range lock.Packages {
		size += locked.Size
	}
	p.log("wrote %s: %d packages, %.1f MB to download", file, len(lock.Packages), float64(size)/1e6)
	return nil
}

func (p *program) check(ctx context.Context, file string) (int, error) {
	lock, err := p.open(file)
	if err != nil {
		return Failed, err
	}
	report := struct {
		Current  bool              `json:"current"`
		Packages []resolve.Finding `json:"packages"`
	}{Current: true}
	for _, archive := range lock.Archives {
		wanted := resolve.Wanted(resolve.Requests(lock, archive.Name))
		suites, err := p.read(ctx, file, lock.Architecture, archive, wanted)
		if err != nil {
			return Failed, err
		}
		findings, err := resolve.Check(lock, archive.Name, suites)
		if err != nil {
			return Failed, err
		}
		report.Packages = append(report.Packages, findings...)
	}
	late := 0
	for _, finding := range report.Packages {
		if finding.Status != resolve.Current {
			late++
		}
	}
	report.Current = late == 0
	if p.json {
		encoder := json.NewEncoder(p.Stdout)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(report); err != nil {
			return Failed, err
		}
	} else {
		for _, finding := range report.Packages {
			if finding.Status != resolve.Current {
				fmt.Fprintln(p.Stdout, finding)
			}
		}
	}
	if late > 0 {
		p.log("%d of %d packages are out of date; renew the lock with --update %s", late, len(report.Packages), file)
		return OutOfDate, nil
	}
	p.log("all %d packages are current", len(report.Packages))
	return OK, nil
}

// read reads an archive's suites from the mirrors that its entry, or a flag, names.
func (p *program) read(ctx context.Context, file, architecture string, archive lockfile.Archive, wanted map[string]bool) ([]*aptrepo.Suite, error) {
	path := archive.Keyring
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
	}
	if other, found := p.keyrings.of(archive.Name); found {
		path = p.path(other)
	}
	keyring, err := aptrepo.ReadKeyring(path)
	if err != nil {
		return nil, fmt.Errorf("archive %s: %w", archive.Name, err)
	}
	mirrors := []string{archive.Mirror}
	if other, found := p.mirrors.of(archive.Name); found {
		mirrors = []string{other}
	} else if archive.Mirror == "" {
		if mirrors = p.debianMirrors(architecture); len(mirrors) == 0 {
			return nil, fmt.Errorf("archive %s: no Debian mirror known: %s is not set and /etc/apt/sources.list and sources.list.d name none; set the variable, or give --mirror", archive.Name, mirrorVariable)
		}
	}
	repository := aptrepo.New(aptrepo.Options{
		Mirrors: mirrors, Keyring: keyring, Architecture: architecture, RequireValid: p.requireValid, Now: p.Now(), Log: p.log,
	})
	var suites []*aptrepo.Suite
	for _, asked := range archive.Suites {
		suite, err := repository.ReadSuite(ctx, asked.Suite, asked.Components, wanted)
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w\n%s", archive.Name, err, otherMirror(archive))
		}
		if was, err := time.Parse(lockfile.TimestampLayout, asked.Timestamp); err == nil && suite.Date.Before(was) {
			p.log("warning: suite %s is of %s, but the lock knows it as of %s: the mirror is behind", suite.Name, suite.Date.Format(lockfile.TimestampLayout), asked.Timestamp)
		}
		suites = append(suites, suite)
	}
	return suites, nil
}

func otherMirror(archive lockfile.Archive) string {
	if archive.Mirror == "" {
		return "to read another mirror, set " + mirrorVariable + " or give --mirror"
	}
	return "to read another mirror, give --mirror"
}

// debianMirrors returns the machine's own mirrors, the user's choice first.
func (p *program) debianMirrors(architecture string) []string {
	mirrors := strings.FieldsFunc(p.Getenv(mirrorVariable), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
	sources, err := aptsources.Read(p.Apt)
	if err != nil {
		p.log("warning: apt sources: %v", err)
	}
	for _, mirror := range aptsources.DebianMirrors(sources, architecture) {
		if !slices.Contains(mirrors, mirror) {
			mirrors = append(mirrors, mirror)
		}
	}
	return mirrors
}

// checkNames refuses, before anything is read, what could not be written.
func checkNames(f *flags) error {
	problems := []error{policy.CheckLabel("archive name", f.archive), policy.CheckLabel("architecture", f.architecture)}
	for _, suite := range f.suites {
		problems = append(problems, policy.CheckSegment("suite", suite))
	}
	for _, component := range f.components {
		problems = append(problems, policy.CheckSegment("component", component))
	}
	if mirror := f.mirrors.only(); mirror != "" {
		problems = append(problems, policy.CheckArchiveURL(mirror))
	}
	return errors.Join(problems...)
}
