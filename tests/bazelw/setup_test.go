//go:build setup

package bazelw

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hiploom/hiploom/tests/machine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// network stands between bazelw and this machine's mirrors: it passes on, remembers, and misbehaves on demand.
type network struct {
	t       *testing.T
	server  *httptest.Server
	origins map[string]string // first path element to the address it stands for
	store   string

	mu      sync.Mutex
	served  map[string]int
	tamper  string        // damages answers whose path contains it
	stall   string        // never finishes answers whose path contains it
	stalled chan struct{} // receives when that happens
	resumed chan struct{} // closed when the misbehaviour ends
}

// machineMirrors asks the machine which mirrors it uses.
func machineMirrors(t *testing.T) map[string]string {
	t.Helper()
	proxy, err := exec.Command("go", "env", "GOPROXY").Output()
	require.NoError(t, err)
	first, _, _ := strings.Cut(strings.TrimSpace(string(proxy)), ",")
	return map[string]string{"debian": machine.DebianMirror(t), "goproxy": strings.TrimSuffix(first, "/")}
}

func newNetwork(t *testing.T, store string) *network {
	n := &network{t: t, origins: machineMirrors(t), store: store, served: map[string]int{}, stalled: make(chan struct{}, 100), resumed: make(chan struct{})}
	n.server = httptest.NewServer(n)
	t.Cleanup(func() {
		n.misbehave("", "")
		n.server.CloseClientConnections()
		n.server.Close()
	})
	return n
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	origin, ok := n.origins[head]
	if !ok {
		http.NotFound(w, r)
		return
	}
	n.mu.Lock()
	n.served[r.URL.Path]++
	tamper := n.tamper != "" && strings.Contains(r.URL.Path, n.tamper)
	stall := n.stall != "" && strings.Contains(r.URL.Path, n.stall)
	resumed := n.resumed
	n.mu.Unlock()

	body, status, err := n.fetch(r.Context(), origin+"/"+rest)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if tamper && len(body) > 100 {
		body = bytes.Clone(body)
		body[len(body)/2] ^= 0x10
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if stall {
		w.Write(body[:len(body)/2])
		w.(http.Flusher).Flush()
		n.stalled <- struct{}{}
		// The request's context does not tell: apt sends requests ahead, and then nobody watches for its end.
		<-resumed
		panic(http.ErrAbortHandler)
	}
	w.Write(body)
}

// fetch gets an address once and keeps it for the whole run, to spare the mirrors.
func (n *network) fetch(ctx context.Context, url string) ([]byte, int, error) {
	kept := filepath.Join(n.store, strings.NewReplacer("/", "_", ":", "_").Replace(url))
	if body, err := os.ReadFile(kept); err == nil {
		return body, http.StatusOK, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode == http.StatusOK {
		part := fmt.Sprintf("%s.%d", kept, time.Now().UnixNano())
		if os.WriteFile(part, body, 0o644) == nil {
			_ = os.Rename(part, kept)
		}
	}
	return body, response.StatusCode, nil
}

func (n *network) misbehave(tamper, stall string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tamper, n.stall = tamper, stall
	close(n.resumed)
	n.resumed = make(chan struct{})
}

// environment is a person's whose only network is n.
func (n *network) environment(cache string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + cache, "XDG_CACHE_HOME=" + cache, "USER=somebody", "HIPLOOM_BAZELW_WAY=mirror",
		"HIPLOOM_DEB_MIRROR=" + n.server.URL + "/debian", "GOPROXY=" + n.server.URL + "/goproxy", "GOSUMDB=off",
	}
}

// scratch is a directory outside /tmp, as people's home directories are, that is removed even where modules made it read-only.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "bazelw-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() {
		exec.Command("chmod", "-R", "u+w", dir).Run()
		os.RemoveAll(dir)
	})
	return dir
}

func stopBazel(t *testing.T, dir string, env []string) {
	t.Helper()
	cmd := exec.Command("./bazelw", "shutdown")
	cmd.Dir, cmd.Env = dir, env
	_ = cmd.Run()
}

// shared is what one test sets up and the others start from copies of.
var shared struct {
	store, cache string
}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("/var/tmp", "bazelw-test-shared-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() {
			exec.Command("chmod", "-R", "u+w", dir).Run()
			os.RemoveAll(dir)
		}()
		shared.store, shared.cache = filepath.Join(dir, "store"), filepath.Join(dir, "cache")
		if err := os.Mkdir(shared.store, 0o755); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// readyCache returns a cache directory in which way 3 is set up, for any checkout.
func readyCache(t *testing.T, at string) string {
	t.Helper()
	require.DirExists(t, shared.cache, "TestTwoSetUpsAtOnce must run first: it makes what the others start from")
	require.NoError(t, os.MkdirAll(at, 0o755))
	out, err := exec.Command("cp", "-a", shared.cache+"/.", at).CombinedOutput()
	require.NoError(t, err, string(out))
	rcs, err := filepath.Glob(filepath.Join(at, "hiploom/bazelw/mirror/rc/*"))
	require.NoError(t, err)
	for _, rc := range rcs {
		require.NoError(t, os.Remove(rc))
	}
	return at
}

func roots(t *testing.T, cache string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, "hiploom/bazelw/mirror/root-*"))
	require.NoError(t, err)
	return found
}

func leftovers(t *testing.T, cache string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, "hiploom/bazelw/mirror/*.new"))
	require.NoError(t, err)
	return found
}

func TestTwoSetUpsAtOnce(t *testing.T) {
	n := newNetwork(t, shared.store)
	dir := checkout(t, scratch(t))
	env := n.environment(shared.cache)
	var group sync.WaitGroup
	got := make([]outcome, 2)
	for i := range got {
		group.Go(func() { got[i] = call(t, dir, env, "./bazelw", "--version") })
	}
	group.Wait()
	for _, one := range got {
		assert.Equal(t, 0, one.code, one.stderr)
		assert.Equal(t, "bazel "+version(t), strings.TrimSpace(one.stdout))
	}
	assert.Contains(t, got[0].stderr+got[1].stderr, "another set-up is at work", "the two met")
	for path, times := range n.served {
		if strings.HasSuffix(path, ".deb") || strings.HasSuffix(path, ".zip") {
			assert.Equal(t, 1, times, "%s was fetched by both", path)
		}
	}
	assert.Len(t, roots(t, shared.cache), 1)
	assert.Empty(t, leftovers(t, shared.cache))
}

func TestInterruptedSetUpRecovers(t *testing.T) {
	for _, moment := range []struct{ name, stall, line string }{
		{"downloading a package", "bazel-bootstrap-data_", ""},
		{"unpacking", "", "unpacking"},
		{"making the key store", "", "key store"},
		{"downloading the Go toolchain", "golang.org/toolchain", ""},
		{"downloading a Go module", "doublestar", ""},
		{"preparing a Bazel module", "", "preparing"},
	} {
		t.Run(moment.name, func(t *testing.T) {
			n := newNetwork(t, shared.store)
			base := scratch(t)
			dir := checkout(t, filepath.Join(base, "checkout"))
			env := n.environment(filepath.Join(base, "cache"))
			n.misbehave("", moment.stall)

			cmd := exec.Command("./bazelw", "--version")
			cmd.Dir, cmd.Env = dir, env
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			said, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			seen := make(chan struct{})
			go func() {
				var text []byte
				buffer := make([]byte, 4096)
				for {
					count, err := said.Read(buffer)
					text = append(text, buffer[:count]...)
					if moment.line != "" && bytes.Contains(text, []byte(moment.line)) {
						close(seen)
						return
					}
					if err != nil {
						return
					}
				}
			}()
			select {
			case <-n.stalled:
			case <-seen:
			case <-time.After(3 * time.Minute):
				t.Error("the moment never came")
			}
			// The whole group, without a chance to tidy up: as when a machine loses power.
			require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
			_ = cmd.Wait()

			n.misbehave("", "")
			got := call(t, dir, env, "./bazelw", "--version")
			assert.Equal(t, 0, got.code, got.stderr)
			assert.Equal(t, "bazel "+version(t), strings.TrimSpace(got.stdout))
			assert.Len(t, roots(t, filepath.Join(base, "cache")), 1)
			assert.Empty(t, leftovers(t, filepath.Join(base, "cache")))
		})
	}
}

func TestDamagedDownloadsAreRefusedByName(t *testing.T) {
	for _, test := range []struct{ name, tamper, want string }{
		{"package list", "/InRelease", "no Debian mirror of this machine has Bazel"},
		{"package", "zlib1g-dev_", "zlib1g-dev_"},
		{"Go toolchain", "golang.org/toolchain", "golang.org/toolchain"},
		{"Go module", "doublestar/v4/@v/v4.9.1.zip", "doublestar"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := newNetwork(t, shared.store)
			base := scratch(t)
			dir := checkout(t, filepath.Join(base, "checkout"))
			cache := filepath.Join(base, "cache")
			n.misbehave(test.tamper, "")
			// apt's other mirrors are out of the picture, so that the damaged one is all there is.
			env := append(n.environment(cache), "APT_CONFIG="+emptyApt(t, base))
			got := call(t, dir, env, "./bazelw", "--version")
			assert.NotEqual(t, 0, got.code)
			assert.Contains(t, got.stderr, test.want)
			assert.Contains(t, got.stderr, "bazelw: error:")
			assert.Empty(t, got.stdout)

			n.misbehave("", "")
			got = call(t, dir, env, "./bazelw", "--version")
			assert.Equal(t, 0, got.code, "with the damage gone the same command works: %s", got.stderr)
		})
	}
}

// emptyApt is a configuration in which apt knows no mirror.
func emptyApt(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "apt.conf")
	require.NoError(t, os.WriteFile(path, []byte(`Dir::Etc::sourcelist "/dev/null"; Dir::Etc::sourceparts "`+dir+`/none";`), 0o644))
	return path
}

func TestDamagedFileOnDiskIsFetchedAgain(t *testing.T) {
	n := newNetwork(t, shared.store)
	base := scratch(t)
	dir := checkout(t, filepath.Join(base, "checkout"))
	env := n.environment(filepath.Join(base, "cache"))
	n.misbehave("", "zstd_") // late in the list, so that most are here when it stalls
	cmd := exec.Command("./bazelw", "--version")
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	var bash []string
	require.Eventually(t, func() bool {
		bash, _ = filepath.Glob(filepath.Join(base, "cache/hiploom/bazelw/mirror/apt/archives/bash_*.deb"))
		return len(bash) == 1
	}, 2*time.Minute, 50*time.Millisecond)
	require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	_ = cmd.Wait()
	content, err := os.ReadFile(bash[0])
	require.NoError(t, err)
	content[len(content)/2] ^= 1 // of the right size, so that only its hash tells
	require.NoError(t, os.WriteFile(bash[0], content, 0o644))

	n.misbehave("", "")
	got := call(t, dir, env, "./bazelw", "--version")
	assert.Equal(t, 0, got.code, got.stderr)
}

func TestWorksWithoutNetworkOnceSetUp(t *testing.T) {
	base := scratch(t)
	cache := readyCache(t, filepath.Join(base, "cache"))
	dir := filepath.Join(base, "checkout")
	out, err := exec.Command("git", "clone", "-q", repository, dir).CombinedOutput()
	require.NoError(t, err, string(out))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "XDG_CACHE_HOME=" + cache, "HIPLOOM_BAZELW_WAY=mirror", "GOPROXY=http://127.0.0.1:1"}
	// A network namespace of its own has not even a loopback that is up; Bazel's client talks to its server over it.
	offline := func(command string) outcome {
		script := "ip link set lo up 2>/dev/null || ifconfig lo up 2>/dev/null; " + command + "; code=$?; ./bazelw shutdown; exit $code"
		return call(t, dir, env, "unshare", "--user", "--map-root-user", "--net", "sh", "-c", script)
	}
	got := offline("./bazelw test //runtime/... //tests/cgo/... //tests/bazelw/...")
	assert.Equal(t, 0, got.code, got.stderr)
	assert.Contains(t, got.stdout, "//runtime:runtime_test")
	assert.Regexp(t, `\d+ processes: .*linux-sandbox`, got.stderr)

	// What the rest needs, compilers for GPUs, Bazel fetches at first use, or all at once.
	got = call(t, dir, env, "./bazelw", "fetch", "//...")
	assert.Equal(t, 0, got.code, got.stderr)
	stopBazel(t, dir, env)
	got = offline("./bazelw build --nobuild //...")
	assert.Equal(t, 0, got.code, got.stderr)
}

func TestOrdinaryUserSpacesAndReadOnlyCheckout(t *testing.T) {
	base := scratch(t)
	home := filepath.Join(base, "home of somebody")
	cache := readyCache(t, filepath.Join(home, ".cache"))
	dir := filepath.Join(base, "a check out")
	out, err := exec.Command("git", "clone", "-q", repository, dir).CombinedOutput()
	require.NoError(t, err, string(out))
	command := []string{"./bazelw"}
	if os.Getuid() == 0 {
		const somebody = 54321
		out, err := exec.Command("chown", "-R", fmt.Sprintf("%d:%d", somebody, somebody), home).CombinedOutput()
		require.NoError(t, err, string(out))
		command = []string{"setpriv", fmt.Sprintf("--reuid=%d", somebody), fmt.Sprintf("--regid=%d", somebody), "--clear-groups", "./bazelw"}
	}
	out, err = exec.Command("chmod", "-R", "a-w", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USER=somebody", "HIPLOOM_BAZELW_WAY=mirror"}
	got := call(t, dir, env, command[0], append(slices.Clone(command[1:]), "test", "//runtime/...")...)
	assert.Equal(t, 0, got.code, got.stderr)
	assert.Contains(t, got.stdout, "//runtime:runtime_test")
	assert.Regexp(t, `\d+ processes: .*linux-sandbox`, got.stderr)

	doctor := call(t, dir, env, command[0], append(slices.Clone(command[1:]), "--doctor")...)
	assert.Equal(t, 0, doctor.code)
	for _, want := range []string{
		"way 3      yes: set up for the workspace " + dir,
		"chosen     3 (Debian's Bazel, modules without a registry): HIPLOOM_BAZELW_WAY says so",
		"tree       " + cache,
		"(" + version(t) + ")",
		"sandbox    linux-sandbox",
		"module     rules_go from " + cache,
	} {
		assert.Contains(t, doctor.stdout, want)
	}
	_ = call(t, dir, env, command[0], append(slices.Clone(command[1:]), "shutdown")...)
}

func TestNoMirrorIsAClearError(t *testing.T) {
	base := scratch(t)
	dir := checkout(t, filepath.Join(base, "checkout"))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "HIPLOOM_BAZELW_WAY=mirror", "APT_CONFIG=" + emptyApt(t, base)}
	got := call(t, dir, env, "./bazelw", "build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "no Debian mirror is configured on this machine")
	assert.Contains(t, got.stderr, "HIPLOOM_DEB_MIRROR=")
}

func TestVersionThatTheMirrorLacksIsAClearError(t *testing.T) {
	n := newNetwork(t, shared.store)
	base := scratch(t)
	dir := checkout(t, filepath.Join(base, "checkout"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".bazelversion"), []byte("99.1.0\n"), 0o644))
	got := call(t, dir, append(n.environment(filepath.Join(base, "cache")), "APT_CONFIG="+emptyApt(t, base)), "./bazelw", "build")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "has Bazel 99.1.0; tried:")
	assert.Contains(t, got.stderr, "has Bazel "+version(t))
}

func TestReadOnlyCacheIsAClearError(t *testing.T) {
	base := scratch(t)
	dir := checkout(t, filepath.Join(base, "checkout"))
	locked := filepath.Join(base, "locked")
	require.NoError(t, os.Mkdir(locked, 0o555))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + locked, "HIPLOOM_BAZELW_WAY=mirror"}
	command := []string{"./bazelw", "build"}
	if os.Getuid() == 0 {
		command = append([]string{"setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"}, command...)
	}
	got := call(t, dir, env, command[0], command[1:]...)
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "cannot write to "+locked)
	assert.Contains(t, got.stderr, "XDG_CACHE_HOME")
}

// small runs a shell script in a directory that is a disk of its own.
func small(t *testing.T, n *network, size, script string) outcome {
	t.Helper()
	base := scratch(t)
	dir := checkout(t, filepath.Join(base, "checkout"))
	disk := filepath.Join(base, "disk")
	require.NoError(t, os.Mkdir(disk, 0o755))
	env := append(n.environment(disk), "DISK="+disk)
	return call(t, dir, env, "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs -o size="+size+" tmpfs \"$DISK\" && "+script)
}

func TestSmallDiskIsRefusedBeforeAnyDownload(t *testing.T) {
	n := newNetwork(t, shared.store)
	got := small(t, n, "300m", "./bazelw --version")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.stderr, "300 MB of free disk space, and set-up needs")
	assert.Empty(t, n.served)
}

func TestDiskThatFillsUpIsAClearError(t *testing.T) {
	n := newNetwork(t, shared.store)
	// Something else takes the space while packages are unpacked; then it goes, and the same command works.
	got := small(t, n, "1700m", `
		{ until ls -d "$DISK"/hiploom/bazelw/mirror/root-*.new >/dev/null 2>&1; do sleep 0.05; done
		  head -c 1100m /dev/zero >"$DISK/filler"; } &
		./bazelw --version; echo "first: $?"; wait
		rm "$DISK/filler"; ./bazelw --version; echo "second: $?"`)
	assert.Contains(t, got.stdout, "first: 1")
	assert.Contains(t, got.stderr, "is full")
	assert.Contains(t, got.stdout, "second: 0", got.stderr)
}

func TestWithoutGoOnTheMachine(t *testing.T) {
	n := newNetwork(t, shared.store)
	base := scratch(t)
	dir := checkout(t, filepath.Join(base, "checkout"))
	env := []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + base, "HIPLOOM_BAZELW_WAY=mirror", "HIPLOOM_DEB_MIRROR=" + n.server.URL + "/debian"}
	if out, err := exec.Command("env", append([]string{"-i"}, append(env, "sh", "-c", "command -v go")...)...).Output(); err == nil {
		t.Skipf("Go is part of this system (%s), so its absence cannot be tested", bytes.TrimSpace(out))
	}
	got := call(t, dir, env, "./bazelw", "--version")
	assert.Equal(t, 0, got.code, got.stderr)
	assert.Equal(t, "bazel "+version(t), strings.TrimSpace(got.stdout))
}

func TestBazelwItselfIsQuick(t *testing.T) {
	base := scratch(t)
	cache := readyCache(t, filepath.Join(base, "cache"))
	dir := checkout(t, filepath.Join(base, "checkout"))
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base, "XDG_CACHE_HOME=" + cache, "HIPLOOM_BAZELW_WAY=mirror"}
	require.Equal(t, 0, call(t, dir, env, "./bazelw", "--version").code)
	tree := roots(t, cache)[0]
	direct := []string{
		tree + "/usr/lib64/ld-linux-x86-64.so.2", "--library-path", tree + "/usr/lib/x86_64-linux-gnu", tree + "/usr/bin/bwrap",
		"--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--ro-bind", tree + "/usr", "/usr", "--",
		"/usr/bin/bazel", "--install_base=/usr/share/bazel", "--trust_install_base", "--version",
	}
	fastest := func(name string, args ...string) time.Duration {
		best := time.Hour
		for range 15 {
			start := time.Now()
			require.Equal(t, 0, call(t, dir, env, name, args...).code)
			best = min(best, time.Since(start))
		}
		return best
	}
	own := fastest("./bazelw", "--version") - fastest(direct[0], direct[1:]...)
	t.Logf("bazelw adds %v to a call of Bazel", own)
	assert.Less(t, own, 50*time.Millisecond)
}

// The real bazelisk, from npm, and a download site of Bazel releases that this test makes.
func TestReleaseThroughRealBazelisk(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not here to fetch bazelisk with")
	}
	base := scratch(t)
	pack := exec.Command("npm", "pack", "--silent", "@bazel/bazelisk@1.28.1")
	pack.Dir = base
	out, err := pack.CombinedOutput()
	require.NoError(t, err, string(out))
	out, err = exec.Command("sh", "-c", "cd '"+base+"' && tar -xzf *.tgz").CombinedOutput()
	require.NoError(t, err, string(out))

	fake := []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'bazel " + version(t) + "'; else printf '<%s>' \"$@\"; fi\n")
	releases := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/bazelisk"):
			http.ServeFile(w, r, filepath.Join(base, "package/bazelisk-linux_amd64"))
		case strings.Contains(r.URL.Path, "/"+version(t)+"/bazel-"+version(t)+"-linux-x86_64"):
			w.Write(fake)
		default:
			http.NotFound(w, r)
		}
	}))
	defer releases.Close()
	dir := checkout(t, filepath.Join(base, "checkout"))
	cache := filepath.Join(base, "cache")
	env := []string{
		"PATH=/usr/bin:/bin", "HOME=" + base, "XDG_CACHE_HOME=" + cache, "HIPLOOM_BAZELW_WAY=release",
		"HIPLOOM_BAZELISK_URL=" + releases.URL + "/bazelisk", "BAZELISK_BASE_URL=" + releases.URL,
	}
	got := call(t, dir, env, "./bazelw", "build", "//a b")
	assert.Equal(t, 0, got.code, got.stderr)
	assert.Equal(t, "<--output_user_root="+cache+"/hiploom/bazel><build><//a b>", got.stdout)

	// Once set up, the site is not needed.
	releases.Close()
	got = call(t, dir, env, "./bazelw", "test")
	assert.Equal(t, 0, got.code, got.stderr)
	assert.Contains(t, got.stdout, "<test>")
	assert.Empty(t, got.stderr)
}
