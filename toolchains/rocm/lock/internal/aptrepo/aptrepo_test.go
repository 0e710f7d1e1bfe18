package aptrepo

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/archivetest"
)

const gz = "dists/forky/main/binary-amd64/Packages.gz"

// archive is a good archive that a test spoils.
type archive struct {
	key     *archivetest.Key
	keyring []*archivetest.Key
	suite   archivetest.Suite
	files   archivetest.Files
	mirrors []string
	options Options
	wanted  map[string]bool
	log     *bytes.Buffer
}

func newArchive(t *testing.T) *archive {
	key := archivetest.NewKey(t, 0)
	a := &archive{
		key: key, keyring: []*archivetest.Key{archivetest.NewKey(t, 0), key}, files: archivetest.Files{}, log: &bytes.Buffer{},
		suite: archivetest.Suite{Name: "forky", Alias: "testing", Packages: map[string][]archivetest.Package{"main": {
			{Name: "clang-21", Version: "1:21.1.8-13"},
			{Name: "clang-21", Version: "1:21.1.8-9"},
			{Name: "hipify-perl", Version: "7.0.2+dfsg-1", Architecture: "all"},
			{Name: "other", Version: "1", SHA256: "not read, since nobody wants it"},
		}}},
		wanted: map[string]bool{"clang-21": true, "hipify-perl": true},
	}
	a.options = Options{Architecture: "amd64", Now: archivetest.Now, Log: func(format string, args ...any) { fmt.Fprintf(a.log, format+"\n", args...) }}
	return a
}

func (a *archive) read(t *testing.T) (*Suite, error) {
	t.Helper()
	keyring, err := ReadKeyring(archivetest.WriteKeyring(t, a.keyring...))
	require.NoError(t, err)
	a.options.Keyring = keyring
	if a.mirrors == nil {
		a.mirrors = []string{a.files.Serve(t)}
	}
	a.options.Mirrors = a.mirrors
	return New(a.options).ReadSuite(t.Context(), "forky", []string{"main"}, a.wanted)
}

func requireGood(t *testing.T, suite *Suite, err error) {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, archivetest.Date, suite.Date)
	require.Len(t, suite.Packages, 2)
	require.Len(t, suite.Packages["clang-21"], 2)
	require.Equal(t, "1:21.1.8-13", suite.Packages["clang-21"][0].Version.String())
	require.Equal(t, archivetest.SHA256("clang-21", "1:21.1.8-13"), suite.Packages["clang-21"][0].SHA256)
	require.Equal(t, "pool/main/hipify-perl_7.0.2+dfsg-1_all.deb", suite.Packages["hipify-perl"][0].Filename)
	require.Equal(t, int64(1000), suite.Packages["hipify-perl"][0].Size)
}

func TestGoodArchivesAreRead(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T, *archive){
		"InRelease":               func(*testing.T, *archive) {},
		"Release and Release.gpg": func(_ *testing.T, a *archive) { a.suite.Detached = true },
		"by hash":                 func(_ *testing.T, a *archive) { a.suite.ByHash = true },
		"second of two signers is known": func(t *testing.T, a *archive) {
			a.suite.Signers = []*archivetest.Key{archivetest.NewKey(t, 0), a.key}
		},
		"asked by Suite instead of Codename": func(_ *testing.T, a *archive) {
			a.suite.EditRelease = strings.NewReplacer("Suite: testing", "Suite: forky", "Codename: forky", "Codename: other").Replace
		},
		"numeric zone": func(_ *testing.T, a *archive) { a.suite.Date = "Sun,  1 Nov 2026 15:30:00 +0100" },
		"plain index only": func(_ *testing.T, a *archive) {
			a.suite.EditIndexes = func(files map[string][]byte) { delete(files, "main/binary-amd64/Packages.gz") }
		},
		"listed .gz is not there": func(_ *testing.T, a *archive) {
			a.suite.EditRelease = func(release string) string { delete(a.files, gz); return release }
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			prepare(t, a)
			a.files.Make(t, a.key, a.suite)
			suite, err := a.read(t)
			requireGood(t, suite, err)
			require.Contains(t, a.log.String(), "reading forky/main (0.0 MB)")
		})
	}
}

func TestFileURLsAreRead(t *testing.T) {
	a := newArchive(t)
	a.files.Make(t, a.key, a.suite)
	folder := a.files.Write(t)
	a.mirrors = []string{"file://" + folder}
	suite, err := a.read(t)
	requireGood(t, suite, err)

	require.NoError(t, os.RemoveAll(filepath.Join(folder, filepath.FromSlash(gz))))
	require.NoError(t, os.Mkdir(filepath.Join(folder, filepath.FromSlash(gz)), 0o755))
	_, err = a.read(t)
	require.ErrorContains(t, err, "not a regular file")
}

func TestXzIndexIsReadWhenThereIsNoOther(t *testing.T) {
	a := newArchive(t)
	a.wanted = map[string]bool{"tiny": true}
	packed, err := os.ReadFile("testdata/Packages.xz")
	require.NoError(t, err)
	plain, err := os.ReadFile("testdata/Packages")
	require.NoError(t, err)
	a.suite.EditIndexes = func(files map[string][]byte) {
		clear(files)
		files["main/binary-amd64/Packages"], files["main/binary-amd64/Packages.xz"] = plain, packed
	}
	a.files.Make(t, a.key, a.suite)
	delete(a.files, "dists/forky/main/binary-amd64/Packages")
	suite, err := a.read(t)
	require.NoError(t, err)
	require.Equal(t, "1.0-1", suite.Packages["tiny"][0].Version.String())
}

func TestSeparateIndexForAllArchitecturesIsRead(t *testing.T) {
	for fields, want := range map[string]int{"": 1, "No-Support-for-Architecture-all: Packages\n": 0} {
		a := newArchive(t)
		a.wanted["documents"] = true
		a.suite.Fields = fields
		all := []byte("Package: documents\nVersion: 1\nArchitecture: all\nFilename: a.deb\nSize: 1\nSHA256: " + strings.Repeat("0", 64) + "\n")
		a.suite.EditIndexes = func(files map[string][]byte) { files["main/binary-all/Packages"] = all }
		a.files.Make(t, a.key, a.suite)
		suite, err := a.read(t)
		require.NoError(t, err)
		require.Len(t, suite.Packages["documents"], want)
	}
}

func TestTamperedArchivesAreRefused(t *testing.T) {
	// own makes an archive whose own indexes, well signed, are bad.
	own := func(edit func(main []archivetest.Package) []archivetest.Package) func(*testing.T, *archive) {
		return func(_ *testing.T, a *archive) { a.suite.Packages["main"] = edit(a.suite.Packages["main"]) }
	}
	release := func(old, new string) func(*testing.T, *archive) {
		return func(_ *testing.T, a *archive) {
			a.suite.EditRelease = func(text string) string { return strings.Replace(text, old, new, 1) }
		}
	}
	for name, test := range map[string]struct {
		prepare func(*testing.T, *archive)
		tamper  func(*testing.T, *archive)
		want    []string
	}{
		"wrong key": {
			prepare: func(t *testing.T, a *archive) { a.key = archivetest.NewKey(t, 0) },
			want:    []string{"/dists/forky/InRelease: no good signature: key {key} is not in keyring", "--keyring"},
		},
		"wrong key, detached": {
			prepare: func(t *testing.T, a *archive) { a.key = archivetest.NewKey(t, 0); a.suite.Detached = true },
			want:    []string{"/dists/forky/Release.gpg: no good signature: key {key} is not in keyring"},
		},
		"key had expired when it signed": {
			prepare: func(t *testing.T, a *archive) {
				a.key = archivetest.NewKey(t, 24*time.Hour)
				a.keyring = append(a.keyring, a.key)
			},
			want: []string{"key {key} had expired when it signed (renew keyring"},
		},
		"key has expired since": {
			prepare: func(t *testing.T, a *archive) {
				a.key = archivetest.NewKey(t, archivetest.Date.Sub(archivetest.Date.AddDate(0, -10, 0))+time.Hour)
				a.keyring = append(a.keyring, a.key)
			},
			want: []string{"key {key} has expired or is revoked (renew keyring"},
		},
		"modified InRelease": {
			tamper: func(_ *testing.T, a *archive) { a.replace("dists/forky/InRelease", "Origin: Test", "Origin: Evil") },
			want:   []string{"InRelease: no good signature: key {key} signed something else", "another mirror"},
		},
		"modified Release": {
			prepare: func(_ *testing.T, a *archive) { a.suite.Detached = true },
			tamper:  func(_ *testing.T, a *archive) { a.replace("dists/forky/Release", "Origin: Test", "Origin: Evil") },
			want:    []string{"Release.gpg: no good signature: key {key} signed something else"},
		},
		"text before the signed text": {
			tamper: func(_ *testing.T, a *archive) {
				a.files["dists/forky/InRelease"] = append([]byte("Suite: forky\n\n"), a.files["dists/forky/InRelease"]...)
			},
			want: []string{"not a clearsigned file"},
		},
		"text after the signature": {
			tamper: func(_ *testing.T, a *archive) {
				a.files["dists/forky/InRelease"] = append(a.files["dists/forky/InRelease"], "\nSuite: forky\n"...)
			},
			want: []string{"unsigned text follows the signature"},
		},
		"truncated InRelease": {
			tamper: func(_ *testing.T, a *archive) {
				a.files["dists/forky/InRelease"] = a.files["dists/forky/InRelease"][:600]
			},
			want: []string{"clearsigned file is damaged"},
		},
		"web page": {
			tamper: func(_ *testing.T, a *archive) { a.files["dists/forky/InRelease"] = []byte("<html>Log in") },
			want:   []string{"not a clearsigned file", "a proxy has answered"},
		},
		"empty signature": {
			prepare: func(_ *testing.T, a *archive) { a.suite.Detached = true },
			tamper:  func(_ *testing.T, a *archive) { a.files["dists/forky/Release.gpg"] = nil },
			want:    []string{"holds no OpenPGP signature"},
		},
		"no signature": {
			prepare: func(_ *testing.T, a *archive) { a.suite.Detached = true },
			tamper:  func(_ *testing.T, a *archive) { delete(a.files, "dists/forky/Release.gpg") },
			want:    []string{"Release.gpg: HTTP status 404"},
		},
		"no archive": {
			tamper: func(_ *testing.T, a *archive) { clear(a.files) },
			want:   []string{"no mirror gave a good copy of suite forky", "/dists/forky/InRelease: file does not exist", "/dists/forky/Release: HTTP status 404"},
		},
		"Release of another suite": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditRelease = strings.NewReplacer("Suite: testing", "Suite: stable", "Codename: forky", "Codename: trixie").Replace
			},
			want: []string{`the Release file is of suite "stable" (codename "trixie"), not "forky"`},
		},
		"no Date":              {prepare: release("Date: ", "Dated: "), want: []string{"the Release file has no usable Date"}},
		"Date in a local zone": {prepare: release("UTC\nArch", "EST\nArch"), want: []string{"the Release file has no usable Date"}},
		"bad Valid-Until":      {prepare: release("SHA256:", "Valid-Until: soon\nSHA256:"), want: []string{"bad Valid-Until"}},
		"weak sums only":       {prepare: release("SHA256:", "MD5Sum:"), want: []string{"the Release file lists no SHA256 sums"}},
		"bad sum in Release":   {prepare: release("SHA256:\n ", "SHA256:\n x"), want: []string{"bad SHA256 line"}},
		"negative size in Release": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditRelease = func(text string) string { return text + " " + strings.Repeat("0", 64) + " -1 main/x\n" }
			},
			want: []string{"bad SHA256 line"},
		},
		"listed twice": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditRelease = func(text string) string {
					return text + " " + strings.Repeat("0", 64) + " 1 main/binary-amd64/Packages.gz\n"
				}
			},
			want: []string{`lists "main/binary-amd64/Packages.gz" twice`},
		},
		"other component": {prepare: release("Components: main", "Components: universe"), want: []string{"suite forky has no component main, only universe"}},
		"other architecture": {
			prepare: release("Architectures: all amd64", "Architectures: all arm64"),
			want:    []string{"suite forky has no architecture amd64, only all arm64"},
		},
		"index is not listed": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditRelease = func(text string) string { return strings.ReplaceAll(text, " main/binary", " contrib/binary") }
			},
			want: []string{"/dists/forky/: the Release file does not list main/binary-amd64/Packages"},
		},
		"stale Release is refused on demand": {
			prepare: func(t *testing.T, a *archive) {
				a.options.RequireValid = true
				release("SHA256:", "Valid-Until: Mon, 02 Nov 2026 00:00:00 UTC\nSHA256:")(t, a)
			},
			want: []string{"the Release file was valid until 2026-11-02T00:00:00Z only", "--require-valid"},
		},
		"Packages with a wrong hash": {
			tamper: func(_ *testing.T, a *archive) { a.files[gz][len(a.files[gz])-1] ^= 1 },
			want:   []string{"/Packages.gz: has SHA256 ", "but Release says", "try again"},
		},
		"Packages with a wrong hash, also by hash": {
			prepare: func(_ *testing.T, a *archive) { a.suite.ByHash = true },
			tamper:  func(_ *testing.T, a *archive) { a.files[gz][len(a.files[gz])-1] ^= 1 },
			want:    []string{"/by-hash/SHA256/", "/Packages.gz: has SHA256 ", "but Release says"},
		},
		"truncated Packages.gz": {
			tamper: func(_ *testing.T, a *archive) { a.files[gz] = a.files[gz][:100] },
			want:   []string{"/Packages.gz: has 100 bytes, but Release says"},
		},
		"truncated before it was signed": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditIndexes = func(files map[string][]byte) {
					files["main/binary-amd64/Packages.gz"] = files["main/binary-amd64/Packages.gz"][:100]
				}
			},
			want: []string{"/Packages.gz: decompressed: unexpected EOF"},
		},
		"longer Packages.gz": {
			tamper: func(_ *testing.T, a *archive) { a.files[gz] = append(a.files[gz], 0) },
			want:   []string{"/Packages.gz: larger than the"},
		},
		"gzip bomb": {
			prepare: func(t *testing.T, a *archive) {
				bomb := archivetest.Gzip(t, make([]byte, 64<<20))
				a.suite.EditIndexes = func(files map[string][]byte) { files["main/binary-amd64/Packages.gz"] = bomb }
			},
			want: []string{"/Packages.gz: decompressed: larger than the", "that Release gives it"},
		},
		"huge declared size": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditRelease = func(text string) string {
					lines := strings.Split(text, "\n")
					for i, line := range lines {
						if strings.HasSuffix(line, "/Packages") {
							lines[i] = " " + strings.Repeat("0", 64) + " 9000000000 main/binary-amd64/Packages"
						}
					}
					return strings.Join(lines, "\n")
				}
			},
			want: []string{"the Release file gives it 9000000000 bytes"},
		},
		"other content in Packages.gz than in Packages": {
			prepare: func(t *testing.T, a *archive) {
				other := archivetest.Gzip(t, []byte("Package: clang-21\nVersion: 9\n"))
				a.suite.EditIndexes = func(files map[string][]byte) { files["main/binary-amd64/Packages.gz"] = other }
			},
			want: []string{"/Packages.gz: decompressed: has 29 bytes, but Release says"},
		},
		"not a control file": {
			prepare: func(_ *testing.T, a *archive) {
				a.suite.EditIndexes = func(files map[string][]byte) {
					clear(files)
					files["main/binary-amd64/Packages"] = []byte("<html>")
				}
			},
			want: []string{"/main/binary-amd64/Packages: line 1:", "is not a field"},
		},
		"Filename with ..": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package {
				main[0].Filename = "pool/../../../etc/evil.deb"
				return main
			}),
			want: []string{"package clang-21: file name", "not a plain relative path"},
		},
		"absolute Filename": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package {
				main[0].Filename = "/etc/evil.deb"
				return main
			}),
			want: []string{"package clang-21: file name", "not a plain relative path"},
		},
		"Filename with a control character": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package {
				main[0].Filename = "pool/\x1b[2J.deb"
				return main
			}),
			want: []string{`package clang-21: file name "pool/\x1b[2J.deb" has bytes`},
		},
		"bad sha256 field": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package { main[0].SHA256 = "00ff"; return main }),
			want:    []string{`package clang-21: bad SHA256 "00ff"`},
		},
		"bad Size": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package { main[0].Size = "1e3"; return main }),
			want:    []string{`package clang-21: bad Size "1e3"`},
		},
		"Size 0": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package { main[0].Size = "0"; return main }),
			want:    []string{"package clang-21: bad size 0"},
		},
		"bad Version": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package { main[0].Version = "one"; return main }),
			want:    []string{`package clang-21: version "one"`},
		},
		"duplicate with another hash": {
			prepare: own(func(main []archivetest.Package) []archivetest.Package {
				again := main[0]
				again.SHA256 = strings.Repeat("0", 64)
				return append(main, again)
			}),
			want: []string{"package clang-21 1:21.1.8-13 is listed twice"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newArchive(t)
			if test.prepare != nil {
				test.prepare(t, a)
			}
			a.files.Make(t, a.key, a.suite)
			if test.tamper != nil {
				test.tamper(t, a)
			}
			suite, err := a.read(t)
			require.Nil(t, suite)
			for _, want := range append(test.want, a.mirrors[0]) {
				require.ErrorContains(t, err, strings.ReplaceAll(want, "{key}", a.key.ID()))
			}
		})
	}
}

func (a *archive) replace(file, old, new string) {
	a.files[file] = bytes.Replace(a.files[file], []byte(old), []byte(new), 1)
}

func TestStaleReleaseOnlyWarns(t *testing.T) {
	a := newArchive(t)
	a.suite.Fields = "Valid-Until: Mon, 02 Nov 2026 00:00:00 UTC\n"
	a.files.Make(t, a.key, a.suite)
	suite, err := a.read(t)
	requireGood(t, suite, err)
	require.Contains(t, a.log.String(), "warning: "+a.mirrors[0]+"dists/forky/: the Release file was valid until 2026-11-02T00:00:00Z only")
}

func TestMissingByHashFallsBackToThePlainPath(t *testing.T) {
	a := newArchive(t)
	a.suite.ByHash = true
	a.files.Make(t, a.key, a.suite)
	for name := range a.files {
		if strings.Contains(name, "by-hash") {
			delete(a.files, name)
		}
	}
	suite, err := a.read(t)
	requireGood(t, suite, err)
}

func TestByHashOutlivesAReplacedIndex(t *testing.T) {
	a := newArchive(t)
	a.suite.ByHash = true
	a.files.Make(t, a.key, a.suite)
	a.files[gz] = []byte("the next release's")
	suite, err := a.read(t)
	requireGood(t, suite, err)
}

func TestNextMirrorIsTried(t *testing.T) {
	a := newArchive(t)
	a.files.Make(t, a.key, a.suite)
	bad := archivetest.Files{}
	bad.Make(t, archivetest.NewKey(t, 0), a.suite)
	nobody := httptest.NewServer(http.NotFoundHandler())
	nobody.Close()
	a.mirrors = []string{nobody.URL + "/", bad.Serve(t), archivetest.Files{}.Serve(t), a.files.Serve(t)}
	suite, err := a.read(t)
	requireGood(t, suite, err)
	require.Equal(t, 3, strings.Count(a.log.String(), "trying the next mirror"))

	a.mirrors = a.mirrors[:3]
	_, err = a.read(t)
	for i, want := range []string{"connection refused", "is not in keyring", "HTTP status 404"} {
		require.ErrorContains(t, err, a.mirrors[i])
		require.ErrorContains(t, err, want)
	}
}

func TestPasswordsOfMirrorsAreNotPrinted(t *testing.T) {
	a := newArchive(t)
	a.mirrors = []string{strings.Replace(archivetest.Files{}.Serve(t), "http://", "http://user:secret@", 1)}
	_, err := a.read(t)
	require.ErrorContains(t, err, "user:xxxxx@")
	require.NotContains(t, err.Error(), "secret")
}

func TestCancelledReadEnds(t *testing.T) {
	started := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	a := newArchive(t)
	a.options.Mirrors = []string{server.URL, "http://never.invalid/"}
	_, err := New(a.options).ReadSuite(ctx, "forky", []string{"main"}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestStalledServerIsGivenUp(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("half of it"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	fetch := newFetcher(func(string, ...any) {})
	fetch.stall = 20 * time.Millisecond
	_, err := fetch.get(t.Context(), server.URL, 100)
	require.EqualError(t, err, "no data for 20ms")
	_, err = fetch.get(t.Context(), "ftp://mirror.example/", 100)
	require.ErrorContains(t, err, `scheme "ftp"`)
}

func TestKeyringForms(t *testing.T) {
	one, two := archivetest.NewKey(t, 0), archivetest.NewKey(t, 0)
	folder := t.TempDir()
	write := func(data []byte) string {
		file := filepath.Join(folder, "keys")
		require.NoError(t, os.WriteFile(file, data, 0o644))
		return file
	}
	both := append(one.Public(t, true), two.Public(t, true)...)
	for name, data := range map[string][]byte{
		"binary":        append(one.Public(t, false), two.Public(t, false)...),
		"armored":       both,
		"after a blank": append([]byte("\n\n"), both...),
	} {
		keyring, err := ReadKeyring(write(data))
		require.NoError(t, err, name)
		require.Len(t, keyring.keys, 2, name)
	}
	for name, data := range map[string][]byte{
		"empty":            nil,
		"text":             []byte("no key"),
		"GnuPG's keybox":   []byte("\x00\x00\x00\x20\x01\x01\x00\x02KBXf"),
		"half a key block": both[:200],
		"a signature":      []byte(strings.ReplaceAll(string(both), "PUBLIC KEY BLOCK", "SIGNATURE")),
	} {
		_, err := ReadKeyring(write(data))
		require.ErrorContains(t, err, "holds no OpenPGP keys", name)
		require.ErrorContains(t, err, "gpg --export", name)
	}
	_, err := ReadKeyring(filepath.Join(folder, "none"))
	require.ErrorContains(t, err, "--keyring")
}

func FuzzRelease(f *testing.F) {
	f.Add([]byte("Suite: a\nDate: Sun, 01 Nov 2026 14:30:00 UTC\nSHA256:\n " + strings.Repeat("0", 64) + " 1 main/x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		release, err := parseRelease(data)
		if err != nil {
			return
		}
		require.False(t, release.date.IsZero())
		for _, file := range release.files {
			require.Len(t, file.sha256, 64)
			require.GreaterOrEqual(t, file.size, int64(0))
		}
		if release.check("forky", "amd64", []string{"main"}) == nil {
			require.True(t, release.Get("Suite") == "forky" || release.Get("Codename") == "forky")
		}
	})
}

func FuzzSignature(f *testing.F) {
	key := archivetest.NewKey(f, 0)
	keyring, err := ReadKeyring(archivetest.WriteKeyring(f, key))
	require.NoError(f, err)
	files := archivetest.Files{}
	files.Make(f, key, archivetest.Suite{Name: "forky"})
	good := files["dists/forky/InRelease"]
	signed, err := keyring.verifyInline(good, archivetest.Now)
	require.NoError(f, err)
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := keyring.verifyInline(data, archivetest.Now); err == nil {
			require.Equal(t, string(signed), string(got), "only one text was ever signed")
		}
	})
}
