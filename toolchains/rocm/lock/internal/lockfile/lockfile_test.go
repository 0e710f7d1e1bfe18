package lockfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `{
 "schema": 1,
 "architecture": "amd64",
 "archives": [
  {
   "name": "debian",
   "mirror": "",
   "snapshot": "https://snapshot.example/archive/debian/{timestamp}/",
   "keyring": "/usr/share/keyrings/debian-archive-keyring.gpg",
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
   "package": "clang-21",
   "version": "1:21.1.8-13",
   "archive": "debian",
   "suite": "forky",
   "filename": "pool/main/l/llvm-toolchain-21/clang-21_21.1.8-13_amd64.deb",
   "sha256": "73221f29cce30863ada391cf6926a59331a4f0f70d38e3d8a5d55f229e89b32b",
   "size": 139160,
   "role": "compiler"
  },
  {
   "package": "lld-21",
   "version": "1:21.1.8-13",
   "archive": "debian",
   "suite": "forky",
   "filename": "pool/main/l/llvm-toolchain-21/lld-21_21.1.8-13_amd64.deb",
   "sha256": "e00da02b0589b1d904c6d13f8281f9a1db48b21afc0ff265c1702d8330fe51ba",
   "size": 1433176,
   "role": "compiler",
   "pinned": true
  }
 ]
}
`

func TestReadAndWriteAreInverse(t *testing.T) {
	lock, err := Parse([]byte(sample))
	require.NoError(t, err)
	data, err := lock.Encode()
	require.NoError(t, err)
	require.Equal(t, sample, string(data))
}

func TestBadLocksAreRefused(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`"schema": 1`, `"schema": 2`, "schema 2"},
		{`"schema": 1`, `"schma": 1`, `unknown field "schma"`},
		{`"amd64"`, `"AMD64"`, "bad architecture"},
		{`"name": "debian"`, `"name": "a/b"`, "bad archive name"},
		{`"mirror": ""`, `"mirror": "ftp://mirror.example/"`, "not an http"},
		{`{timestamp}`, `x`, "lacks {timestamp}"},
		{`/usr/share/keyrings/debian-archive-keyring.gpg`, ``, "keyring"},
		{`"suite": "forky",
     "c`, `"suite": "../x",
     "c`, "bad suite"},
		{`"main"`, `"a/b"`, "bad component"},
		{`20261101T143000Z`, `2026-11-01`, "timestamp"},
		{`"lld-21"`, `"clang-21"`, "clang-21 is locked twice"},
		{`"lld-21"`, `"LLD"`, "bad package name"},
		{`1:21.1.8-13`, `x`, "bad upstream version"},
		{`pool/main/l/llvm-toolchain-21/lld`, `../lld`, "not a plain relative path"},
		{`e00da02b`, `E00DA02B`, "bad SHA256"},
		{`1433176`, `-1`, "bad size"},
		{`1433176`, `"1433176"`, "not a lock file"},
		{`1433176`, `14.5`, "not a lock file"},
		{`"role": "compiler",`, `"role": "a b",`, "bad role"},
		{`"archive": "debian",`, `"archive": "amd",`, `its archive "amd" has no suite "forky"`},
		{"]\n}\n", "]\n}\n{}", "something follows"},
		{sample, `{"schema": 1, "architecture": "amd64"}`, "names no package"},
		{sample, "", "not a lock file"},
	} {
		require.Contains(t, sample, test.old)
		_, err := Parse([]byte(strings.Replace(sample, test.old, test.new, 1)))
		require.ErrorContains(t, err, test.want)
	}
}

func TestWriteReplacesInOneStep(t *testing.T) {
	folder := t.TempDir()
	lock, err := Parse([]byte(sample))
	require.NoError(t, err)
	file, link := filepath.Join(folder, "a.json"), filepath.Join(folder, "link.json")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	require.NoError(t, os.Symlink("a.json", link))
	require.NoError(t, lock.Write(link))

	again, err := Read(file)
	require.NoError(t, err)
	require.Equal(t, lock, again)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	lock.Packages[0].SHA256 = "bad"
	require.ErrorContains(t, lock.Write(file), "refuse to write")
	require.Error(t, lock.Write(filepath.Join(folder, "none", "a.json")))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 2, "no temporary file stays behind")
	again, err = Read(file)
	require.NoError(t, err)
	require.Equal(t, "73221f29cce30863ada391cf6926a59331a4f0f70d38e3d8a5d55f229e89b32b", again.Packages[0].SHA256)
}

func FuzzLock(f *testing.F) {
	f.Add([]byte(sample))
	f.Fuzz(func(t *testing.T, data []byte) {
		lock, err := Parse(data)
		if err != nil {
			return
		}
		first, err := lock.Encode()
		require.NoError(t, err)
		again, err := Parse(first)
		require.NoError(t, err)
		second, err := again.Encode()
		require.NoError(t, err)
		require.Equal(t, string(first), string(second))
	})
}
