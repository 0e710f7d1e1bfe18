// Package aptrepo reads signed apt archives. Nothing it returns comes from anything but a file whose hash the signed
// Release file of the asked suite lists.
package aptrepo

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/hiploom/hiploom/toolchains/rocm/lock/internal/xz"
)

// maxRelease bounds a Release file and its signature.
const maxRelease = 16 << 20

// Options says how to read an archive.
type Options struct {
	Mirrors      []string // Roots of copies of the archive, the preferred one first.
	Keyring      *Keyring
	Architecture string
	RequireValid bool      // Refuse a Release that is past its Valid-Until.
	Now          time.Time // When keys and Valid-Until must be valid.
	Log          func(format string, args ...any)
}

// Repository is an archive with its mirrors.
type Repository struct {
	Options
	fetch *fetcher
}

// Suite is what one suite offers.
type Suite struct {
	Name     string
	Date     time.Time
	Packages map[string][]Package // The wanted ones, each with every version there is.
}

// New returns a Repository; it reads nothing yet.
func New(options Options) *Repository {
	return &Repository{options, newFetcher(options.Log)}
}

// ReadSuite reads a suite's components from the first mirror that has a good copy of them.
func (r *Repository) ReadSuite(ctx context.Context, name string, components []string, wanted map[string]bool) (*Suite, error) {
	var problems []string
	for i, mirror := range r.Mirrors {
		suite, err := r.readSuite(ctx, strings.TrimRight(mirror, "/")+"/", name, components, wanted)
		if err == nil {
			return suite, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("suite %s: %w", name, context.Cause(ctx))
		}
		problems = append(problems, "  "+strings.ReplaceAll(err.Error(), "\n", "\n  "))
		if i+1 < len(r.Mirrors) {
			r.Log("%v; trying the next mirror", err)
		}
	}
	return nil, fmt.Errorf("no mirror gave a good copy of suite %s:\n%s", name, strings.Join(problems, "\n"))
}

func (r *Repository) readSuite(ctx context.Context, mirror, name string, components []string, wanted map[string]bool) (*Suite, error) {
	folder := mirror + "dists/" + name + "/"
	release, err := r.readRelease(ctx, folder)
	if err != nil {
		return nil, err
	}
	if err := release.check(name, r.Architecture, components); err != nil {
		return nil, at(folder, err)
	}
	if !release.validUntil.IsZero() && r.Now.After(release.validUntil) {
		err := at(folder, fmt.Errorf("the Release file was valid until %s only", release.validUntil.Format(time.RFC3339)))
		if r.RequireValid {
			return nil, fmt.Errorf("%w; the mirror is frozen or stale: use another, or drop --require-valid", err)
		}
		r.Log("warning: %v", err)
	}
	suite := &Suite{Name: name, Date: release.date, Packages: map[string][]Package{}}
	for _, component := range components {
		for _, path := range release.indexes(component, r.Architecture) {
			index, err := r.readIndex(ctx, folder, path, name+"/"+component, release)
			if err != nil {
				return nil, err
			}
			if err := parsePackages(index, r.Architecture, wanted, suite.Packages); err != nil {
				return nil, at(folder+path, err)
			}
		}
	}
	return suite, nil
}

// readRelease returns the suite's Release file once its signature is verified.
func (r *Repository) readRelease(ctx context.Context, folder string) (*release, error) {
	address := folder + "InRelease"
	data, err := r.fetch.get(ctx, address, maxRelease)
	if errors.Is(err, fs.ErrNotExist) {
		return r.readDetached(ctx, folder)
	}
	if err == nil {
		data, err = r.Keyring.verifyInline(data, r.Now)
	}
	if err != nil {
		return nil, at(address, err)
	}
	release, err := parseRelease(data)
	return release, at(address, err)
}

func (r *Repository) readDetached(ctx context.Context, folder string) (*release, error) {
	address := folder + "Release"
	data, err := r.fetch.get(ctx, address, maxRelease)
	if err != nil {
		return nil, errors.Join(at(folder+"InRelease", fs.ErrNotExist), at(address, err))
	}
	signature, err := r.fetch.get(ctx, address+".gpg", maxRelease)
	if err == nil {
		err = r.Keyring.verifyDetached(data, signature, r.Now)
	}
	if err != nil {
		return nil, at(address+".gpg", err)
	}
	release, err := parseRelease(data)
	return release, at(address, err)
}

// readIndex returns an index, uncompressed, from whichever of its forms can be had.
func (r *Repository) readIndex(ctx context.Context, folder, index, what string, release *release) ([]byte, error) {
	plain, found := release.files[index]
	if !found {
		return nil, at(folder, fmt.Errorf("the Release file does not list %s", index))
	}
	if plain.size > maxIndex {
		return nil, at(folder+index, fmt.Errorf("the Release file gives it %d bytes, at most %d are allowed", plain.size, int64(maxIndex)))
	}
	var problems []error
	for _, form := range []struct {
		suffix     string
		decompress func([]byte, int64) ([]byte, error)
	}{{".gz", gunzip}, {".xz", xz.Decode}, {"", nil}} {
		file, found := release.files[index+form.suffix]
		if !found {
			continue
		}
		if file.size > maxIndex {
			problems = append(problems, at(folder+index+form.suffix, fmt.Errorf("the Release file gives it %d bytes, at most %d are allowed", file.size, int64(maxIndex))))
			continue
		}
		r.Log("reading %s (%s)", what, megabytes(file.size))
		data, err := r.readListed(ctx, folder, index+form.suffix, file, release.Get("Acquire-By-Hash") == "yes")
		if err == nil && form.decompress != nil {
			if data, err = form.decompress(data, plain.size); err == nil {
				err = plain.verify(data)
			}
			if err != nil {
				err = at(folder+index+form.suffix, fmt.Errorf("decompressed: %w; try another mirror", err))
			}
		}
		if err == nil {
			return data, nil
		}
		problems = append(problems, err)
		if !errors.Is(err, fs.ErrNotExist) {
			break // Only absence makes another form worth its download.
		}
	}
	return nil, errors.Join(problems...)
}

// readListed reads a file that Release lists. The path by hash keeps its content while the archive changes.
func (r *Repository) readListed(ctx context.Context, folder, name string, file listed, byHash bool) ([]byte, error) {
	addresses := []string{folder + name}
	if byHash {
		addresses = []string{folder + path.Dir(name) + "/by-hash/SHA256/" + file.sha256, folder + name}
	}
	var problems []error
	for _, address := range addresses {
		data, err := r.fetch.get(ctx, address, file.size)
		if err == nil {
			if err = file.verify(data); err == nil {
				return data, nil
			}
			err = fmt.Errorf("%w; the download is damaged or the mirror is being updated: try again, or another mirror", err)
		}
		problems = append(problems, at(address, err))
	}
	return nil, errors.Join(problems...)
}

func (l listed) verify(data []byte) error {
	if int64(len(data)) != l.size {
		return fmt.Errorf("has %d bytes, but Release says %d", len(data), l.size)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != l.sha256 {
		return fmt.Errorf("has SHA256 %s, but Release says %s", got, l.sha256)
	}
	return nil
}

// gunzip stops at the size that Release gives, so that a small file cannot fill the memory.
func gunzip(data []byte, size int64) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(reader, size+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > size {
		return nil, fmt.Errorf("larger than the %d bytes that Release gives it", size)
	}
	return b.Bytes(), nil
}

// at puts an address in front of an error, without the password that a mirror's URL may hold.
func at(address string, err error) error {
	if err == nil {
		return nil
	}
	if u, parseErr := url.Parse(address); parseErr == nil {
		address = u.Redacted()
	}
	return fmt.Errorf("%s: %w", address, err)
}
