package bazelw

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bench is a checkout with a PATH of its own: first what a test adds, then what every system has.
type bench struct {
	t           *testing.T
	dir         string
	bin, system string
	cache       string
	variables   []string
}

func newBench(t *testing.T) *bench {
	base := t.TempDir()
	b := &bench{
		t: t, dir: checkout(t, filepath.Join(base, "check out")), cache: filepath.Join(base, "cache"),
		bin: filepath.Join(base, "bin"), system: filepath.Join(base, "system"),
	}
	require.NoError(t, os.Mkdir(b.system, 0o755))
	for _, tool := range []string{
		"awk", "basename", "cat", "chmod", "cp", "cut", "date", "dirname", "du", "env", "flock", "grep", "head", "id", "ls", "mkdir", "mv",
		"nproc", "readlink", "rm", "sed", "sh", "sha256sum", "sleep", "sort", "tar", "touch", "tr", "uname", "xargs",
	} {
		path, err := exec.LookPath(tool)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(b.system, tool)))
	}
	// A network that is not there, whatever the machine's.
	b.add("curl", "echo 'no network in this test' >&2; exit 6")
	return b
}

func (b *bench) add(name string, lines ...string) string {
	return program(b.t, filepath.Join(b.bin, name), lines...)
}

// addBazel adds a program that says which version it is, and otherwise what it was started with.
func (b *bench) addBazel(name, version string) string {
	return b.add(name, `if [ "$1" = --version ]; then echo "bazel `+version+`"; exit; fi`, `printf '<%s>' "`+name+`" "$@"`, "exit 37")
}

func (b *bench) run(args ...string) outcome {
	env := append([]string{"PATH=" + b.bin + ":" + b.system, "XDG_CACHE_HOME=" + b.cache, "HOME=" + b.cache}, b.variables...)
	return call(b.t, b.dir, env, "./bazelw", args...)
}

func (b *bench) write(name, content string) {
	require.NoError(b.t, os.WriteFile(filepath.Join(b.dir, name), []byte(content), 0o644))
}

func version(t *testing.T) string {
	content, err := os.ReadFile(filepath.Join(repository, ".bazelversion"))
	require.NoError(t, err)
	return strings.TrimSpace(string(content))
}

func TestBazelOnPathGetsTheArgumentsUntouched(t *testing.T) {
	for _, name := range []string{"bazel", "bazelisk"} {
		b := newBench(t)
		b.addBazel(name, version(t))
		got := b.run("--startup=x y", "build", "", `quo"te's`, "*", "--", "-a\nb")
		assert.Equal(t, "<"+name+">"+`<--startup=x y><build><><quo"te's><*><--><-a`+"\nb>", got.stdout)
		assert.Equal(t, 37, got.code, "bazelw's exit status is Bazel's")
		assert.Empty(t, got.stderr)
	}
}

func TestBazelIsFoundFromAnotherDirectoryAndThroughALink(t *testing.T) {
	b := newBench(t)
	b.addBazel("bazel", version(t))
	link := filepath.Join(b.bin, "launcher")
	require.NoError(t, os.Symlink(filepath.Join(b.dir, "bazelw"), link))
	got := call(t, t.TempDir(), []string{"PATH=" + b.bin + ":" + b.system, "HOME=" + b.cache}, link, "info")
	assert.Equal(t, "<bazel><info>", got.stdout, got.stderr)
}

func TestExplicitBazelWinsAndMustBeTheRightVersion(t *testing.T) {
	b := newBench(t)
	b.addBazel("bazel", version(t))
	mine := b.addBazel("mine", version(t))
	b.variables = []string{"HIPLOOM_BAZEL=" + mine}
	assert.Equal(t, "<mine><build>", b.run("build").stdout)

	b.variables = []string{"HIPLOOM_BAZEL=" + b.addBazel("old", "6.5.0")}
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "is version '6.5.0', and .bazelversion asks for "+version(t))
	assert.Empty(t, got.stdout)

	b.variables = []string{"HIPLOOM_BAZEL=" + filepath.Join(b.dir, "bazelw")}
	got = b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "names bazelw itself")

	b.variables = []string{"HIPLOOM_BAZEL=/no/such/bazel"}
	got = b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "/no/such/bazel, which is not an executable file")
}

func TestBazelOfAnotherVersionIsPassedOver(t *testing.T) {
	b := newBench(t)
	b.addBazel("bazel", "6.5.0")
	b.addBazel("bazelisk", version(t))
	assert.Equal(t, "<bazelisk><build>", b.run("build").stdout)

	b.variables = []string{"HIPLOOM_BAZELW_WAY=path"}
	require.NoError(t, os.Remove(filepath.Join(b.bin, "bazelisk")))
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "bazel is version '6.5.0', not "+version(t))
}

func TestAnUpgradedBazelIsNoticed(t *testing.T) {
	b := newBench(t)
	b.addBazel("bazel", "6.5.0")
	b.addBazel("bazelisk", version(t))
	assert.Equal(t, "<bazelisk><build>", b.run("build").stdout)
	require.NoError(t, os.Remove(filepath.Join(b.bin, "bazel")))
	upgraded := b.addBazel("bazel", version(t))
	require.NoError(t, os.Chtimes(upgraded, time.Time{}, time.Now().Add(time.Second)))
	assert.Equal(t, "<bazel><build>", b.run("build").stdout)
}

func TestALinkNamedBazelToBazelwDoesNotLoop(t *testing.T) {
	b := newBench(t)
	require.NoError(t, os.Symlink(filepath.Join(b.dir, "bazelw"), filepath.Join(b.bin, "bazel")))
	b.variables = []string{"HIPLOOM_BAZELW_WAY=path"}
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "no bazel or bazelisk on PATH")
}

func TestBadVersionFileIsNamed(t *testing.T) {
	for content, want := range map[string]string{
		"latest\n":   "says 'latest', which is no Bazel version",
		"":           "says '', which is no Bazel version",
		"7\n":        "says '7', which is no Bazel version",
		"\x00\x01":   "which is no Bazel version",
		"8.x.1-$(x)": "which is no Bazel version",
	} {
		b := newBench(t)
		b.write(".bazelversion", content)
		got := b.run("build")
		assert.Equal(t, 1, got.code, content)
		assert.Contains(t, got.stderr, want)
	}
	b := newBench(t)
	require.NoError(t, os.Remove(filepath.Join(b.dir, ".bazelversion")))
	assert.Contains(t, b.run("build").stderr, ".bazelversion cannot be read")
}

func TestWayMustBeOneOfThree(t *testing.T) {
	b := newBench(t)
	b.variables = []string{"HIPLOOM_BAZELW_WAY=docker"}
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "it may be path, release or mirror")
}

func TestNoHomeIsAClearError(t *testing.T) {
	b := newBench(t)
	got := call(t, b.dir, []string{"PATH=" + b.system}, "./bazelw", "build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "neither XDG_CACHE_HOME nor HOME is set")
}

func TestReleaseWithAnotherHashIsRefused(t *testing.T) {
	b := newBench(t)
	// The registry answers, and what comes from the release address is not bazelisk.
	b.add("curl", `for last; do :; done`, `case "$*" in *bazel_registry*) exit 0;; esac`,
		`while [ "$1" != -o ]; do shift; done`, `printf 'something else' >"$2"`)
	b.variables = []string{"HIPLOOM_BAZELW_WAY=release"}
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "bazelisk from https://github.com/bazelbuild/bazelisk/releases/download/")
	assert.Contains(t, got.stderr, "refused")
	left, err := filepath.Glob(filepath.Join(b.cache, "hiploom/bazelw/release/bazelisk*"))
	require.NoError(t, err)
	assert.Empty(t, left, "nothing of a refused download stays")
}

func TestAReleaseThatCannotBeHadLeavesTheThirdWayOpen(t *testing.T) {
	b := newBench(t)
	b.add("curl", `case "$*" in *bazel_registry*) exit 0;; esac`, "echo 'curl: (22) 404' >&2", "exit 22")
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "fetching https://github.com/bazelbuild/bazelisk/releases/download/")
	assert.Contains(t, got.stderr, "going on with Debian's mirrors")
	assert.Contains(t, got.stderr, "needs 'apt-get', which is missing", "it did go on")
}

func TestMissingPrerequisiteIsNamed(t *testing.T) {
	b := newBench(t)
	b.variables = []string{"HIPLOOM_BAZELW_WAY=mirror"}
	got := b.run("build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "needs 'apt-get', which is missing")
	assert.Contains(t, got.stderr, "apt-get install")
}

func TestDoctorSaysWhichWayAndWhy(t *testing.T) {
	b := newBench(t)
	bazel := b.addBazel("bazel", version(t))
	got := b.run("--doctor")
	assert.Equal(t, 0, got.code, got.stderr)
	for _, want := range []string{
		"version    " + version(t) + ", as ",
		"way 1      yes: " + bazel + " is version " + version(t),
		"way 2      no: the public registry does not answer (no network in this test)",
		"chosen     1 (" + bazel + "): the first way that works",
		"note       the public registry does not answer",
	} {
		assert.Contains(t, got.stdout, want)
	}
	assert.NoDirExists(t, filepath.Join(b.cache, "hiploom/bazelw/mirror"), "a doctor sets nothing up")
}

func TestDoctorSaysWhenTheRegistryAnswers(t *testing.T) {
	b := newBench(t)
	b.add("curl", "exit 0")
	got := b.run("--doctor")
	assert.Contains(t, got.stdout, "way 1      no: no bazel or bazelisk on PATH")
	assert.Contains(t, got.stdout, "way 2      yes: the public registry answers; bazelisk is not set up yet")
	assert.Contains(t, got.stdout, "chosen     2 (official release through bazelisk): the first way that works")
}
