package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/archivetest"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/lockfile"
)

// machine is one on which the program runs, in a working directory of its own.
type machine struct {
	t         *testing.T
	folder    string
	key       *archivetest.Key
	files     archivetest.Files
	mirror    string
	variables map[string]string
	apt       fstest.MapFS
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, folder: t.TempDir(), key: archivetest.NewKey(t, 0), files: archivetest.Files{}, apt: fstest.MapFS{}}
	m.variables = map[string]string{"BUILD_WORKING_DIRECTORY": m.folder}
	m.mirror = m.files.Serve(t)
	m.write("keys.gpg", string(m.key.Public(t, false)))
	m.release("13", "1")
	return m
}

// release makes the archive offer a compiler of the given revision, with a newer hipify-perl after the first one; lld
// only if it has a version.
func (m *machine) release(revision, lld string) {
	main := []archivetest.Package{
		{Name: "clang-21", Version: "1:21.1.8-" + revision},
		{Name: "hipify-perl", Version: "7.0.2+dfsg-1", Architecture: "all"},
		{Name: "zlib1g", Version: "1:1.3"},
	}
	if revision != "13" {
		main = append(main, archivetest.Package{Name: "hipify-perl", Version: "7.1", Architecture: "all"})
	}
	if lld != "" {
		main = append(main, archivetest.Package{Name: "lld-21", Version: lld})
	}
	m.files.Make(m.t, m.key, archivetest.Suite{Name: "forky", Packages: map[string][]archivetest.Package{"main": main}})
}

func (m *machine) write(name, text string) {
	require.NoError(m.t, os.WriteFile(filepath.Join(m.folder, name), []byte(text), 0o644))
}

func (m *machine) read(name string) string {
	data, err := os.ReadFile(filepath.Join(m.folder, name))
	require.NoError(m.t, err)
	return string(data)
}

func (m *machine) run(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Run(m.t.Context(), args, Environment{
		Stdout: &out, Stderr: &errs, Getenv: func(name string) string { return m.variables[name] }, Apt: m.apt,
		Now: func() time.Time { return archivetest.Now },
	})
	return status, out.String(), errs.String()
}

func (m *machine) must(args ...string) string {
	m.t.Helper()
	status, stdout, stderr := m.run(args...)
	require.Equal(m.t, OK, status, stderr)
	return stdout
}

func (m *machine) create(name string) {
	m.t.Helper()
	m.must("--new", name, "--suite", "forky", "--mirror", strings.TrimRight(m.mirror, "/"), "--keyring", "keys.gpg", "--snapshot", "https://snapshot.example/{timestamp}/",
		"--package", "compiler=lld-21", "--package", "compiler=clang-21", "--package", "hipify=hipify-perl=7.0.2+dfsg-1")
}

func TestNewWritesALock(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	sum := archivetest.SHA256
	require.Equal(t, `{
 "schema": 1,
 "architecture": "amd64",
 "archives": [
  {
   "name": "debian",
   "mirror": "`+m.mirror+`",
   "snapshot": "https://snapshot.example/{timestamp}/",
   "keyring": "keys.gpg",
   "suites": [
    {
     "suite": "forky",
     "components": [
      "main"
     ],
     "timestamp": "20261101T143000Z"
    }
   ]
  }
 ],
 "packages": [
  {
   "package": "lld-21",
   "version": "1",
   "archive": "debian",
   "suite": "forky",
   "filename": "pool/main/lld-21_1_amd64.deb",
   "sha256": "`+sum("lld-21", "1")+`",
   "size": 1000,
   "role": "compiler"
  },
  {
   "package": "clang-21",
   "version": "1:21.1.8-13",
   "archive": "debian",
   "suite": "forky",
   "filename": "pool/main/clang-21_121.1.8-13_amd64.deb",
   "sha256": "`+sum("clang-21", "1:21.1.8-13")+`",
   "size": 1000,
   "role": "compiler"
  },
  {
   "package": "hipify-perl",
   "version": "7.0.2+dfsg-1",
   "archive": "debian",
   "suite": "forky",
   "filename": "pool/main/hipify-perl_7.0.2+dfsg-1_all.deb",
   "sha256": "`+sum("hipify-perl", "7.0.2+dfsg-1")+`",
   "size": 1000,
   "role": "hipify",
   "pinned": true
  }
 ]
}
`, m.read("a.json"))
}

func TestTwoRunsGiveEqualBytes(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	m.create("b.json")
	require.Equal(t, m.read("a.json"), m.read("b.json"))
	require.Equal(t, "no change\n", m.must("--update", "a.json"))
	require.Equal(t, m.read("b.json"), m.read("a.json"))

	m.write("list", "compiler lld-21\ncompiler clang-21 # the compiler\nhipify hipify-perl 7.0.2+dfsg-1\n")
	require.Equal(t, "no change\n", m.must("--new", "a.json", "--suite", "forky", "--mirror", m.mirror, "--keyring", "keys.gpg",
		"--snapshot", "https://snapshot.example/{timestamp}/", "--packages", "list"))
	require.Equal(t, m.read("b.json"), m.read("a.json"))
}

func TestCheckTellsByItsExitStatus(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	status, stdout, stderr := m.run("--check", "a.json")
	require.Equal(t, OK, status)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "all 3 packages are current")

	m.release("14", "")
	status, stdout, stderr = m.run("--check", "a.json")
	require.Equal(t, OutOfDate, status)
	require.Equal(t, "lld-21: gone; 1 is locked, nothing is available\nclang-21: outdated; 1:21.1.8-13 is locked, 1:21.1.8-14 is available in forky\n", stdout)
	require.Contains(t, stderr, "2 of 3 packages are out of date")

	status, stdout, _ = m.run("--check", "a.json", "--json")
	require.Equal(t, OutOfDate, status)
	var report struct {
		Current  bool
		Packages []struct{ Package, Status, Locked, Available, Suite string }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.False(t, report.Current)
	require.Len(t, report.Packages, 3)
	require.Equal(t, "gone", report.Packages[0].Status)
	require.Equal(t, "1:21.1.8-14", report.Packages[1].Available)
	require.Equal(t, "current", report.Packages[2].Status)

	clear(m.files)
	status, _, stderr = m.run("--check", "a.json")
	require.Equal(t, Failed, status)
	require.Contains(t, stderr, "HTTP status 404")
	require.Contains(t, stderr, "give --mirror")
}

func TestUpdateRenewsAllButPinnedPackages(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	m.release("14", "2")
	require.Equal(t, "lld-21: 1 -> 2\nclang-21: 1:21.1.8-13 -> 1:21.1.8-14\n", m.must("--update", "a.json"))
	require.Contains(t, m.read("a.json"), `"version": "7.0.2+dfsg-1"`)
	require.Contains(t, m.read("a.json"), `"pinned": true`)
	m.must("--check", "a.json")
}

func TestFailedUpdateLeavesTheFileIntact(t *testing.T) {
	for name, spoil := range map[string]func(*machine){
		"missing package":    func(m *machine) { m.release("14", "") },
		"damaged index":      func(m *machine) { m.files["dists/forky/main/binary-amd64/Packages.gz"][30] ^= 1 },
		"damaged signature":  func(m *machine) { m.files["dists/forky/InRelease"][80] ^= 1 },
		"no archive":         func(m *machine) { clear(m.files) },
		"lost keyring":       func(m *machine) { require.NoError(m.t, os.Remove(filepath.Join(m.folder, "keys.gpg"))) },
		"another key's hand": func(m *machine) { m.key = archivetest.NewKey(m.t, 0); m.release("14", "2") },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.create("a.json")
			before := m.read("a.json")
			spoil(m)
			status, stdout, stderr := m.run("--update", "a.json")
			require.Equal(t, Failed, status)
			require.Empty(t, stdout)
			require.Contains(t, stderr, "is as it was")
			require.Equal(t, before, m.read("a.json"))
			entries, err := filepath.Glob(filepath.Join(m.folder, ".a.json*"))
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
}

func TestAddPutsASecondArchiveIntoTheLock(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	vendorKey := archivetest.NewKey(t, 0)
	vendor := archivetest.Files{}
	vendor.Make(t, vendorKey, archivetest.Suite{Name: "noble", Packages: map[string][]archivetest.Package{"main": {{Name: "rocm-llvm", Version: "19.0-1~24.04"}}}})
	mirror := vendor.Serve(t)
	m.write("vendor.asc", string(vendorKey.Public(t, true)))
	add := []string{"--add", "a.json", "--suite", "noble", "--mirror", mirror, "--keyring", "vendor.asc"}
	m.must(append(add, "--archive", "vendor", "--package", "compiler=rocm-llvm")...)
	m.must("--check", "a.json")
	require.Equal(t, "no change\n", m.must("--update", "a.json"))
	lock, err := lockfile.Read(filepath.Join(m.folder, "a.json"))
	require.NoError(t, err)
	require.Len(t, lock.Packages, 4)
	require.Equal(t, "vendor", lock.Packages[3].Archive)

	m.must("--check", "a.json", "--keyring", "debian=keys.gpg", "--mirror", "vendor="+mirror)
	for _, test := range []struct {
		args []string
		want string
	}{
		{append(add, "--archive", "vendor", "--package", "compiler=rocm-llvm"), "archive vendor is named twice"},
		{[]string{"--check", "a.json", "--keyring", "keys.gpg"}, "--keyring: say for which archive, as in --keyring debian=VALUE"},
		{[]string{"--check", "a.json", "--keyring", "other=keys.gpg"}, "--keyring: no archive is named other, only debian, vendor"},
		{[]string{"--check", "a.json", "--keyring", "vendor=keys.gpg"}, "key " + vendorKey.ID() + " is not in keyring"},
	} {
		status, _, stderr := m.run(test.args...)
		require.Equal(t, Failed, status)
		require.Contains(t, stderr, test.want)
	}
}

func TestTheMachinesMirrorsAreUsed(t *testing.T) {
	m := newMachine(t)
	args := []string{"--new", "a.json", "--suite", "forky", "--keyring", "keys.gpg", "--package", "compiler=clang-21"}
	status, _, stderr := m.run(args...)
	require.Equal(t, Failed, status)
	require.Contains(t, stderr, "HIPLOOM_DEB_MIRROR is not set and /etc/apt/sources.list")

	m.apt["sources.list.d/x.sources"] = &fstest.MapFile{Data: []byte("Types: deb\nURIs: " + m.mirror + "\nSuites: forky\nComponents: main\nSigned-By: /x/debian-archive-keyring.gpg\n")}
	m.must(args...)
	require.Contains(t, m.read("a.json"), `"mirror": ""`)

	// The variable comes first, and a machine's mirror helps out.
	empty := archivetest.Files{}.Serve(t)
	m.variables[mirrorVariable] = empty + ", " + empty + "again/"
	status, _, stderr = m.run("--check", "a.json")
	require.Equal(t, OK, status, stderr)
	require.Equal(t, 2, strings.Count(stderr, "trying the next mirror"))

	m.apt["sources.list"] = &fstest.MapFile{Data: []byte("nonsense\n")}
	_, _, stderr = m.run("--check", "a.json")
	require.Contains(t, stderr, "warning: apt sources: sources.list: line 1")
}

func TestAnOlderReleaseIsWarnedOf(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	m.write("a.json", strings.Replace(m.read("a.json"), "20261101T143000Z", "20261102T143000Z", 1))
	status, _, stderr := m.run("--check", "a.json")
	require.Equal(t, OK, status)
	require.Contains(t, stderr, "warning: suite forky is of 20261101T143000Z, but the lock knows it as of 20261102T143000Z")
}

func TestKeyringPathStartsAtTheLock(t *testing.T) {
	m := newMachine(t)
	require.NoError(t, os.MkdirAll(filepath.Join(m.folder, "locks", "deep"), 0o755))
	m.create("locks/deep/a.json")
	require.Contains(t, m.read("locks/deep/a.json"), `"keyring": "../../keys.gpg"`)
	m.variables["BUILD_WORKING_DIRECTORY"] = filepath.Join(m.folder, "locks")
	m.must("--check", "deep/a.json")
	m.must("--check", "deep/a.json", "--keyring", "../keys.gpg")
}

func TestHelp(t *testing.T) {
	for _, flag := range []string{"--help", "-h"} {
		help := newMachine(t).must(flag)
		require.Contains(t, help, "lock --update FILE")
		require.Contains(t, help, "-require-valid")
	}
}

func TestBadCommandLinesAreRefused(t *testing.T) {
	m := newMachine(t)
	m.create("a.json")
	m.write("not.json", "{}")
	m.write("bad.list", "compiler\n")
	good := []string{"--new", "b.json", "--suite", "forky", "--mirror", m.mirror, "--keyring", "keys.gpg"}
	with := func(args ...string) []string { return append(good[:len(good):len(good)], args...) }
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "give one of --new, --add, --update and --check"},
		{[]string{"--new", "a.json", "--check", "a.json"}, "give one of"},
		{[]string{"--check", ""}, "--check needs a file"},
		{[]string{"--nonsense"}, "flag provided but not defined"},
		{[]string{"--check", "a.json", "more"}, `unexpected argument "more"`},
		{[]string{"--check", "a.json", "--suite", "forky"}, "--suite does not go with --check"},
		{[]string{"--update", "a.json", "--json"}, "--json goes with --check only"},
		{[]string{"--add", "a.json", "--architecture", "arm64"}, "--architecture does not go with --add"},
		{[]string{"--new", "b.json", "--package", "a=bb"}, "--new needs a --suite"},
		{[]string{"--check", "none.json"}, "no such file"},
		{[]string{"--check", "not.json"}, "schema 0"},
		{with(), "no packages asked for"},
		{with("--package", "clang"), "not of the form role=package"},
		{with("--packages", "none.list"), "no such file"},
		{with("--packages", "bad.list"), "bad.list: line 1"},
		{with("--package", "a=clang-21", "--package", "b=clang-21"), "package clang-21 is asked for twice"},
		{with("--package", "a=clang-99"), "package clang-99 is in none of the suites forky"},
		{with("--package", "a=clang-21=2"), "package clang-21 has no version 2; there is 1:21.1.8-13 (forky)"},
		{with("--package", "a=clang-21", "--suite", "../x"), `bad suite "../x"`},
		{with("--package", "a=clang-21", "--suite", "a,,b"), "empty name"},
		{with("--package", "a=clang-21", "--suite", "sid"), "dists/sid/Release: HTTP status 404"},
		{with("--package", "a=clang-21", "--suite", "forky"), "suite forky is named twice"},
		{with("--package", "a=clang-21", "--components", "contrib"), "suite forky has no component contrib, only main"},
		{with("--package", "a=clang-21", "--components", "a/b"), `bad component "a/b"`},
		{with("--package", "a=clang-21", "--archive", "A"), `bad archive name "A"`},
		{with("--package", "a=clang-21", "--architecture", "arm64"), "suite forky has no architecture arm64"},
		{with("--package", "a=clang-21", "--mirror", "http://b.example/"), "given twice"},
		{with("--package", "a=clang-21", "--snapshot", "http://b.example/"), "lacks {timestamp}"},
		{[]string{"--new", "b.json", "--suite", "forky", "--mirror", "ftp://b.example/", "--package", "a=clang-21"}, "not an http, https or file URL"},
		{[]string{"--new", "b.json", "--suite", "forky", "--mirror", m.mirror, "--keyring", "none.gpg", "--package", "a=clang-21"}, "none.gpg: no such file"},
		{[]string{"--new", "not.json", "--suite", "forky", "--mirror", m.mirror, "--keyring", "keys.gpg", "--package", "a=clang-21"}, "refuse to overwrite it"},
	} {
		status, stdout, stderr := m.run(test.args...)
		require.Equal(t, Failed, status, "%v", test.args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, test.want)
		require.NoFileExists(t, filepath.Join(m.folder, "b.json"))
	}
}
