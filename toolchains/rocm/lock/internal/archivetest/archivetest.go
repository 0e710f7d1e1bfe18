// Package archivetest makes small signed apt archives for tests, which may then tamper with them.
package archivetest

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
	"github.com/stretchr/testify/require"
)

// Date is when archives of this package are released, unless they say otherwise.
var Date = time.Date(2026, time.November, 1, 14, 30, 0, 0, time.UTC)

// Now is a time shortly after Date, at which keys and archives are good.
var Now = Date.AddDate(0, 0, 3)

// Key is a signing key, ten months old at Date.
type Key struct{ entity *openpgp.Entity }

// NewKey makes a key with a lifetime; 0 means forever.
func NewKey(t testing.TB, lifetime time.Duration) *Key {
	t.Helper()
	entity, err := openpgp.NewEntity("Archive", "", "archive@archive.example", &packet.Config{
		Algorithm: packet.PubKeyAlgoEdDSA, DefaultHash: crypto.SHA256, KeyLifetimeSecs: uint32(lifetime / time.Second),
		Time: func() time.Time { return Date.AddDate(0, -10, 0) },
	})
	require.NoError(t, err)
	return &Key{entity}
}

// ID returns the key's number as error messages give it.
func (k *Key) ID() string { return fmt.Sprintf("%016X", k.entity.PrimaryKey.KeyId) }

// Public returns the public half, in binary or armored.
func (k *Key) Public(t testing.TB, armored bool) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, k.entity.Serialize(&b))
	if !armored {
		return b.Bytes()
	}
	return armorAs(t, openpgp.PublicKeyType, b.Bytes())
}

// WriteKeyring writes a keyring and returns its path.
func WriteKeyring(t testing.TB, keys ...*Key) string {
	t.Helper()
	var data []byte
	for _, key := range keys {
		data = append(data, key.Public(t, false)...)
	}
	file := filepath.Join(t.TempDir(), "keyring.gpg")
	require.NoError(t, os.WriteFile(file, data, 0o644))
	return file
}

func armorAs(t testing.TB, kind string, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := armor.Encode(&b, kind, nil)
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return append(b.Bytes(), '\n')
}

// Package is a package of an archive; empty fields get good values.
type Package struct{ Name, Version, Architecture, Filename, SHA256, Size string }

// SHA256 is the sum that an archive lists for a package's file.
func SHA256(name, version string) string {
	sum := sha256.Sum256([]byte(name + version))
	return hex.EncodeToString(sum[:])
}

func (p Package) stanza() string {
	or := func(value, otherwise string) string {
		if value == "" {
			return otherwise
		}
		return value
	}
	architecture := or(p.Architecture, "amd64")
	return fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nDescription: a package\n of a test\nFilename: %s\nSHA256: %s\nSize: %s\n\n",
		p.Name, p.Version, architecture, or(p.Filename, fmt.Sprintf("pool/main/%s_%s_%s.deb", p.Name, strings.ReplaceAll(p.Version, ":", ""), architecture)),
		or(p.SHA256, SHA256(p.Name, p.Version)), or(p.Size, "1000"))
}

// Suite describes a suite to make.
type Suite struct {
	Name     string // Codename; the path below dists.
	Alias    string // Suite field, if another.
	Packages map[string][]Package
	Date     string // Instead of Date's.
	Fields   string // More lines of Release.
	ByHash   bool
	Detached bool // Release and Release.gpg instead of InRelease.
	// EditIndexes changes the index files before Release lists them, and the list itself by size and sum.
	EditIndexes func(files map[string][]byte)
	EditRelease func(release string) string
	Signers     []*Key
}

// Files are an archive's files by path.
type Files map[string][]byte

// Make adds a suite, signed by the given key unless it names others, to files.
func (f Files) Make(t testing.TB, key *Key, suite Suite) {
	t.Helper()
	indexes := map[string][]byte{}
	for component, packages := range suite.Packages {
		var plain strings.Builder
		for _, p := range packages {
			plain.WriteString(p.stanza())
		}
		name := component + "/binary-amd64/Packages"
		indexes[name] = []byte(plain.String())
		indexes[name+".gz"] = Gzip(t, []byte(plain.String()))
	}
	if suite.EditIndexes != nil {
		suite.EditIndexes(indexes)
	}
	var release strings.Builder
	date := suite.Date
	if date == "" {
		date = Date.Format("Mon, 02 Jan 2006 15:04:05 MST")
	}
	alias := suite.Alias
	if alias == "" {
		alias = suite.Name
	}
	fmt.Fprintf(&release, "Origin: Test\nSuite: %s\nCodename: %s\nDate: %s\nArchitectures: all amd64\nComponents: %s\n%s",
		alias, suite.Name, date, strings.Join(slices.Sorted(maps.Keys(suite.Packages)), " "), suite.Fields)
	if suite.ByHash {
		release.WriteString("Acquire-By-Hash: yes\n")
	}
	release.WriteString("SHA256:\n")
	folder := "dists/" + suite.Name + "/"
	for _, name := range slices.Sorted(maps.Keys(indexes)) {
		data := indexes[name]
		sum := sha256.Sum256(data)
		fmt.Fprintf(&release, " %x %8d %s\n", sum, len(data), name)
		f[folder+name] = data
		if suite.ByHash {
			f[folder+path.Dir(name)+"/by-hash/SHA256/"+hex.EncodeToString(sum[:])] = data
		}
	}
	text := release.String()
	if suite.EditRelease != nil {
		text = suite.EditRelease(text)
	}
	signers := suite.Signers
	if signers == nil {
		signers = []*Key{key}
	}
	if suite.Detached {
		f[folder+"Release"] = []byte(text)
		f[folder+"Release.gpg"] = signDetached(t, signers, text)
		return
	}
	f[folder+"InRelease"] = signInline(t, signers, text)
}

func signInline(t testing.TB, keys []*Key, text string) []byte {
	t.Helper()
	var private []*packet.PrivateKey
	for _, key := range keys {
		private = append(private, key.entity.PrivateKey)
	}
	var b bytes.Buffer
	w, err := clearsign.EncodeMulti(&b, private, signing())
	require.NoError(t, err)
	_, err = w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return append(b.Bytes(), '\n')
}

func signDetached(t testing.TB, keys []*Key, text string) []byte {
	t.Helper()
	var signers []*openpgp.Entity
	for _, key := range keys {
		signers = append(signers, key.entity)
	}
	var b bytes.Buffer
	require.NoError(t, openpgp.DetachSign(&b, signers, strings.NewReader(text), signing()))
	return armorAs(t, openpgp.SignatureType, b.Bytes())
}

func signing() *packet.Config {
	return &packet.Config{DefaultHash: crypto.SHA256, Time: func() time.Time { return Date }}
}

// Gzip compresses data.
func Gzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// Serve serves the files until the test ends and returns their root. Changes to files made between requests show.
func (f Files) Serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, found := f[strings.TrimPrefix(r.URL.Path, "/")]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// Write writes the files into a new folder and returns it.
func (f Files) Write(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	for name, data := range f {
		file := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, data, 0o644))
	}
	return folder
}
