package aptrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"
)

const (
	stallTimeout    = 30 * time.Second
	fileTimeout     = 20 * time.Minute // Against a server that sends a byte now and then.
	progressSilence = 10 * time.Second
)

// fetcher reads files of an archive, each in bounded time and memory.
type fetcher struct {
	client *http.Client
	stall  time.Duration // How long a server may send nothing.
	log    func(format string, args ...any)
}

func newFetcher(log func(string, ...any)) *fetcher {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	// A Packages.gz sent with Content-Encoding: gzip must arrive as the bytes that Release lists.
	transport.DisableCompression = true
	return &fetcher{&http.Client{Transport: transport}, stallTimeout, log}
}

// get returns the file at an http, https or file URL, which must not have more than limit bytes. A missing file is an
// error that wraps fs.ErrNotExist.
func (f *fetcher) get(ctx context.Context, address string, limit int64) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "file":
		return getFile(u.Path, limit)
	case "http", "https":
		data, err := f.getHTTP(ctx, address, limit)
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // Its text repeats the address, which callers put first.
		}
		return data, err
	}
	return nil, fmt.Errorf("scheme %q is none of http, https and file", u.Scheme)
}

func getFile(path string, limit int64) ([]byte, error) {
	path = filepath.FromSlash(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readBounded(file, limit)
}

func (f *fetcher) getHTTP(ctx context.Context, address string, limit int64) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, fileTimeout, fmt.Errorf("not finished after %v", fileTimeout))
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	stall := time.AfterFunc(f.stall, func() { cancel(fmt.Errorf("no data for %v", f.stall)) })
	defer stall.Stop()
	data, err := f.exchange(ctx, address, limit, func() { stall.Reset(f.stall) })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(nil)
	return data, err
}

func (f *fetcher) exchange(ctx context.Context, address string, limit int64, alive func()) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "hiploom-lock")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return nil, fmt.Errorf("HTTP status %d: %w", response.StatusCode, fs.ErrNotExist)
	default:
		return nil, fmt.Errorf("HTTP status %d", response.StatusCode)
	}
	return readBounded(&watchedReader{response.Body, alive, f.log, 0, time.Now()}, limit)
}

// watchedReader postpones the stall timer with every read, and tells a waiting person that there is progress.
type watchedReader struct {
	io.Reader
	alive func()
	log   func(string, ...any)
	bytes int64
	told  time.Time
}

func (r *watchedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.alive()
	}
	r.bytes += int64(n)
	if time.Since(r.told) > progressSilence {
		r.told = time.Now()
		r.log("... %s so far", megabytes(r.bytes))
	}
	return n, err
}

func readBounded(r io.Reader, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(r, limit+1)); err != nil {
		return nil, fmt.Errorf("after %d bytes: %w", b.Len(), err)
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("larger than the %d bytes that are allowed", limit)
	}
	return b.Bytes(), nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
