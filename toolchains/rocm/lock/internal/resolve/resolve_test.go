package resolve

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/aptrepo"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/lockfile"
	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/policy"
)

func suite(t *testing.T, name string, packages ...string) *aptrepo.Suite {
	t.Helper()
	s := &aptrepo.Suite{Name: name, Packages: map[string][]aptrepo.Package{}}
	for _, text := range packages {
		name, version, _ := strings.Cut(text, "=")
		v, err := policy.ParseVersion(version)
		require.NoError(t, err)
		s.Packages[name] = append(s.Packages[name], aptrepo.Package{Name: name, Version: v, Filename: s.Name + "/" + text + ".deb", SHA256: "sum of " + version, Size: 1})
	}
	return s
}

func TestRequestsAreParsed(t *testing.T) {
	got, err := ParseRequest("compiler=clang-21")
	require.NoError(t, err)
	require.Equal(t, Request{"compiler", "clang-21", ""}, got)
	got, err = ParseRequest("compiler=clang-21=1:21.1.8-13~a+b")
	require.NoError(t, err)
	require.Equal(t, Request{"compiler", "clang-21", "1:21.1.8-13~a+b"}, got)
	for _, text := range []string{"", "clang-21", "=clang-21", "compiler=", "compiler=Clang", "a b=clang", "compiler=clang=", "compiler=clang=x", "compiler=clang=1=2"} {
		_, err := ParseRequest(text)
		require.Error(t, err, "%q", text)
	}

	list, err := ReadRequests(strings.NewReader("# roles\n\ncompiler clang-21 # newest\n\tcompiler\tlld-21  1:21-1\r\n"))
	require.NoError(t, err)
	require.Equal(t, []Request{{"compiler", "clang-21", ""}, {"compiler", "lld-21", "1:21-1"}}, list)
	for text, want := range map[string]string{
		"compiler":         "line 1: not of the form",
		"\na b c d":        "line 2: not of the form",
		"compiler CLANG":   `line 1: bad package name "CLANG"`,
		"compiler clang x": `line 1: version "x"`,
	} {
		_, err := ReadRequests(strings.NewReader(text))
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, Unique([]Request{{Package: "a1"}, {Package: "b1"}, {Package: "a1"}}), "package a1 is asked for twice")
	require.NoError(t, Unique(list))
}

func TestVersionsAreChosen(t *testing.T) {
	suites := []*aptrepo.Suite{
		suite(t, "stable", "clang=1:21-1", "clang=1:21-10", "clang=1:21-9", "lld=2.0-0", "perl=5"),
		suite(t, "updates", "clang=1:21-10", "lld=2.0", "perl=6~rc1", "extra=1.0", "extra=1.0-0", "extra=1.00"),
	}
	packages, err := Packages([]Request{
		{"compiler", "clang", ""}, {"hipify", "perl", ""}, {"compiler", "lld", ""}, {"x", "extra", ""},
	}, "debian", suites)
	require.NoError(t, err)
	var got []string
	for _, p := range packages {
		require.Equal(t, "debian", p.Archive)
		require.False(t, p.Pinned)
		got = append(got, p.Role+" "+p.Filename)
	}
	require.Equal(t, []string{
		"compiler stable/clang=1:21-10.deb", // The first suite wins a tie.
		"hipify updates/perl=6~rc1.deb",
		"compiler stable/lld=2.0-0.deb", // Equal, though written differently.
		"x updates/extra=1.00.deb",
	}, got)

	packages, err = Packages([]Request{{"compiler", "clang", "1:21-1"}, {"x", "extra", "1.0"}, {"compiler", "lld", "2.0"}}, "debian", suites)
	require.NoError(t, err)
	require.Equal(t, "stable/clang=1:21-1.deb", packages[0].Filename)
	require.Equal(t, "1.0", packages[1].Version)
	require.Equal(t, "updates", packages[2].Suite)
	require.True(t, packages[0].Pinned)

	_, err = Packages([]Request{{"compiler", "clang", "22"}, {"compiler", "gone", ""}}, "debian", suites)
	require.ErrorContains(t, err, "package clang has no version 22; there is 1:21-1 (stable), 1:21-10 (stable), 1:21-9 (stable), 1:21-10 (updates)")
	require.ErrorContains(t, err, "package gone is in none of the suites stable, updates")
}

func TestCheckComparesWithTheArchive(t *testing.T) {
	old := suite(t, "stable", "same=1", "newer=1", "rebuilt=1", "moved=1", "withdrawn=2", "gone=1", "pin=1", "lostpin=1")
	var requests []Request
	for _, name := range []string{"same", "newer", "rebuilt", "moved", "withdrawn", "gone"} {
		requests = append(requests, Request{"x", name, ""})
	}
	requests = append(requests, Request{"x", "pin", "1"}, Request{"x", "lostpin", "1"})
	packages, err := Packages(requests, "debian", []*aptrepo.Suite{old})
	require.NoError(t, err)
	lock := &lockfile.Lock{Packages: append(packages, lockfile.Package{Package: "elsewhere", Archive: "amd"})}
	require.Equal(t, requests, Requests(lock, "debian"))
	require.Equal(t, map[string]bool{"elsewhere": true}, Wanted(Requests(lock, "amd")))

	now := suite(t, "stable", "same=1", "newer=1", "newer=2", "rebuilt=1", "moved=1", "withdrawn=1", "pin=1", "pin=2", "lostpin=2")
	now.Packages["rebuilt"][0].SHA256 = "another sum"
	now.Packages["moved"][0].Filename = "another place"
	findings, err := Check(lock, "debian", []*aptrepo.Suite{now})
	require.NoError(t, err)
	require.Equal(t, []Finding{
		{"same", Current, "1", "1", "stable"},
		{"newer", Outdated, "1", "2", "stable"},
		{"rebuilt", Changed, "1", "1", "stable"},
		{"moved", Changed, "1", "1", "stable"},
		{"withdrawn", Gone, "2", "1", "stable"},
		{"gone", Gone, "1", "", ""},
		{"pin", Current, "1", "1", "stable"},
		{"lostpin", Gone, "1", "2", "stable"},
	}, findings)
	require.Equal(t, "newer: outdated; 1 is locked, 2 is available in stable", findings[1].String())
	require.Equal(t, "gone: gone; 1 is locked, nothing is available", findings[5].String())
}

func TestChangesAreDescribed(t *testing.T) {
	archive := func(timestamp string) []lockfile.Archive {
		return []lockfile.Archive{{Name: "debian", Suites: []lockfile.Suite{{Suite: "forky", Timestamp: timestamp}}}}
	}
	old := &lockfile.Lock{Archives: archive("A"), Packages: []lockfile.Package{{Package: "a", Version: "1"}, {Package: "b", Version: "1"}, {Package: "c", Version: "1"}}}
	require.Empty(t, Changes(old, old))
	require.Equal(t, []string{
		"debian/forky: A -> B", "a: 1 -> 2", "b: 1 is another file or at another place", "d: new, 1", "c: dropped, was 1",
	}, Changes(old, &lockfile.Lock{Archives: archive("B"), Packages: []lockfile.Package{{Package: "a", Version: "2"}, {Package: "b", Version: "1", Size: 2}, {Package: "d", Version: "1"}}}))
	require.Equal(t, "debian/forky: new -> A", Changes(&lockfile.Lock{}, old)[0])
}
