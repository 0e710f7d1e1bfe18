// Package lockfile reads and writes the list of packages, with their hashes, that the hermetic toolchain consists of.
package lockfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/policy"
)

const (
	// Schema is the version of the format.
	Schema = 1
	// TimestampLayout is how snapshot archives write a time, which is UTC.
	TimestampLayout = "20060102T150405Z"

	maxFile = 16 << 20
)

// Lock is a lock file.
type Lock struct {
	Schema       int       `json:"schema"`
	Architecture string    `json:"architecture"`
	Archives     []Archive `json:"archives"`
	Packages     []Package `json:"packages"`
}

// Archive is where packages come from.
type Archive struct {
	Name string `json:"name"`
	// Mirror is the archive's root; "" stands for the Debian mirrors of the machine that reads the lock.
	Mirror string `json:"mirror"`
	// Snapshot is the root of a permanent copy, with {timestamp} for a suite's timestamp.
	Snapshot string `json:"snapshot,omitempty"`
	// Keyring holds the keys that may sign the archive; a relative path starts at the lock file.
	Keyring string  `json:"keyring"`
	Suites  []Suite `json:"suites"`
}

// Suite is a release of an archive, as it was when the lock was written.
type Suite struct {
	Suite      string   `json:"suite"`
	Components []string `json:"components"`
	Timestamp  string   `json:"timestamp"`
}

// Package is one locked package file.
type Package struct {
	Package  string `json:"package"`
	Version  string `json:"version"`
	Archive  string `json:"archive"`
	Suite    string `json:"suite"`
	Filename string `json:"filename"`
	SHA256   string `json:"sha256"`
	Size     int64  `json:"size"`
	Role     string `json:"role"`
	// Pinned keeps the version when the lock is updated.
	Pinned bool `json:"pinned,omitempty"`
}

// Parse reads a lock file and validates it.
func Parse(data []byte) (*Lock, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var lock Lock
	if err := decoder.Decode(&lock); err != nil {
		return nil, fmt.Errorf("not a lock file: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a lock file: something follows its JSON value")
	}
	return &lock, lock.Validate()
}

// Validate says what is wrong with the lock, in full.
func (l *Lock) Validate() error {
	if l.Schema != Schema {
		return fmt.Errorf("lock has schema %d, this program knows schema %d only", l.Schema, Schema)
	}
	problems := []error{policy.CheckLabel("architecture", l.Architecture)}
	suites := map[[2]string]bool{}
	archives := map[string]bool{}
	if len(l.Archives) == 0 {
		problems = append(problems, errors.New("lock names no archive"))
	}
	for _, archive := range l.Archives {
		if archives[archive.Name] {
			problems = append(problems, fmt.Errorf("archive %s is named twice", archive.Name))
		}
		archives[archive.Name] = true
		if err := archive.validate(); err != nil {
			problems = append(problems, fmt.Errorf("archive %q: %w", archive.Name, err))
		}
		for _, suite := range archive.Suites {
			suites[[2]string{archive.Name, suite.Suite}] = true
		}
	}
	if len(l.Packages) == 0 {
		problems = append(problems, errors.New("lock names no package"))
	}
	packages := map[string]bool{}
	for _, p := range l.Packages {
		if packages[p.Package] {
			problems = append(problems, fmt.Errorf("package %s is locked twice", p.Package))
		}
		packages[p.Package] = true
		if !suites[[2]string{p.Archive, p.Suite}] {
			problems = append(problems, fmt.Errorf("package %q: its archive %q has no suite %q", p.Package, p.Archive, p.Suite))
		}
		if err := p.validate(); err != nil {
			problems = append(problems, fmt.Errorf("package %q: %w", p.Package, err))
		}
	}
	return errors.Join(problems...)
}

func (a *Archive) validate() error {
	problems := []error{policy.CheckLabel("archive name", a.Name)}
	if a.Mirror != "" {
		problems = append(problems, policy.CheckArchiveURL(a.Mirror))
	}
	if a.Snapshot != "" {
		problems = append(problems, policy.CheckArchiveURL(a.Snapshot))
		if !strings.Contains(a.Snapshot, "{timestamp}") {
			problems = append(problems, fmt.Errorf("snapshot %q lacks {timestamp}", a.Snapshot))
		}
	}
	if a.Keyring == "" || strings.ContainsFunc(a.Keyring, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		problems = append(problems, fmt.Errorf("keyring %q is not a path", a.Keyring))
	}
	if len(a.Suites) == 0 {
		problems = append(problems, errors.New("no suite"))
	}
	seen := map[string]bool{}
	for _, suite := range a.Suites {
		problems = append(problems, policy.CheckSegment("suite", suite.Suite))
		if seen[suite.Suite] {
			problems = append(problems, fmt.Errorf("suite %s is named twice", suite.Suite))
		}
		seen[suite.Suite] = true
		if len(suite.Components) == 0 {
			problems = append(problems, fmt.Errorf("suite %s has no components", suite.Suite))
		}
		for _, component := range suite.Components {
			problems = append(problems, policy.CheckSegment("component", component))
		}
		if at, err := time.Parse(TimestampLayout, suite.Timestamp); err != nil || at.Format(TimestampLayout) != suite.Timestamp {
			problems = append(problems, fmt.Errorf("suite %s: timestamp %q is not of the form %s", suite.Suite, suite.Timestamp, TimestampLayout))
		}
	}
	return errors.Join(problems...)
}

func (p *Package) validate() error {
	_, err := policy.ParseVersion(p.Version)
	return errors.Join(policy.CheckPackageName(p.Package), err, policy.CheckFilename(p.Filename), policy.CheckSHA256(p.SHA256),
		policy.CheckSize(p.Size), policy.CheckLabel("role", p.Role))
}

// Encode returns the file's bytes, which depend on nothing but the lock.
func (l *Lock) Encode() ([]byte, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(l); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Read reads the lock file at path.
func Read(path string) (*Lock, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: not a lock file: larger than %d bytes", path, maxFile)
	}
	lock, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lock, nil
}

// Write replaces the lock file at path in one step: whoever reads it sees the old one or the new one.
func (l *Lock) Write(path string) (err error) {
	data, err := l.Encode()
	if err != nil {
		return fmt.Errorf("refuse to write %s: %w", path, err)
	}
	mode := os.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // Replace the file, not the link to it.
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	parent, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}
