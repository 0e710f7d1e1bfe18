//go:build setup

// Package rocmtoolchain holds the tests of the ROCm toolchain that take a Bazel of their own: workspaces that depend on
// hiploom, mirrors that misbehave, containers. .ci/run starts them, with -tags setup.
package rocmtoolchain

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hiploom/hiploom/tests/machine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the checkout under test.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

// result is what a call of Bazel left.
type result struct {
	code        int
	out, errors string
}

// bazel calls bazelw in a workspace, with variables added to the environment.
func bazel(t *testing.T, dir string, variables []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(root(t), "bazelw"), args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), variables...)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	_ = cmd.Run()
	return result{cmd.ProcessState.ExitCode(), out.String(), errors.String()}
}

// scratch is a directory outside /tmp, removed afterwards.
func scratch(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "rocm-toolchain-test-")
	require.NoError(t, err)
	t.Cleanup(func() {
		exec.Command("chmod", "-R", "u+w", dir).Run()
		os.RemoveAll(dir)
	})
	return dir
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// downstream makes a workspace that depends on hiploom and says what it wants of the extension.
func downstream(t *testing.T, tags string) string {
	t.Helper()
	dir := scratch(t)
	write(t, filepath.Join(dir, "MODULE.bazel"), fmt.Sprintf(`module(name = "downstream")

bazel_dep(name = "hiploom", version = "0.1.0")
local_path_override(
    module_name = "hiploom",
    path = %q,
)

rocm = use_extension("@hiploom//toolchains/rocm:extensions.bzl", "rocm")
%s
use_repo(rocm, "rocm")
`, root(t), tags))
	write(t, filepath.Join(dir, "BUILD.bazel"), "")
	write(t, filepath.Join(dir, ".bazelrc"), "common --noenable_workspace --lockfile_mode=off\n")
	t.Cleanup(func() { bazel(t, dir, nil, "clean", "--expunge"); bazel(t, dir, nil, "shutdown") })
	return dir
}

// lock returns a committed lock, changed.
func lock(t *testing.T, name string, change func(packages []map[string]any)) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), "toolchains/rocm/locks", name))
	require.NoError(t, err)
	var lock map[string]any
	require.NoError(t, json.Unmarshal(content, &lock))
	var packages []map[string]any
	for _, each := range lock["packages"].([]any) {
		packages = append(packages, each.(map[string]any))
	}
	change(packages)
	changed, err := json.Marshal(lock)
	require.NoError(t, err)
	return string(changed)
}

func find(t *testing.T, packages []map[string]any, name string) map[string]any {
	t.Helper()
	i := slices.IndexFunc(packages, func(p map[string]any) bool { return p["package"] == name })
	require.GreaterOrEqual(t, i, 0, "the lock has no %s", name)
	return packages[i]
}

const withLock = `rocm.toolchain(lock = "//:lock.json")`

func TestFetchErrorsNameThePackageTheAddressesAndTheCure(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"wrong hash":       func(p map[string]any) { p["sha256"] = strings.Repeat("0", 64) },
		"vanished package": func(p map[string]any) { p["filename"] = "pool/main/z/zlib/zlib1g_0.0-gone_amd64.deb" },
	} {
		t.Run(name, func(t *testing.T) {
			var wanted map[string]any
			dir := downstream(t, withLock)
			write(t, filepath.Join(dir, "lock.json"), lock(t, "debian-forky.json", func(packages []map[string]any) {
				wanted = find(t, packages, "zlib1g")
				change(wanted)
			}))
			// Without a repository cache, in which the same content may lie from before.
			got := bazel(t, dir, nil, "build", "--repository_cache=", "@rocm//:rocm")
			assert.NotEqual(t, 0, got.code)
			for _, want := range []string{
				fmt.Sprintf("the package zlib1g %s of the toolchain lock @//:lock.json could not be fetched", wanted["version"]),
				fmt.Sprintf("Wanted: %s with SHA-256 %s", wanted["filename"], wanted["sha256"]),
				"Tried:", "snapshot.debian.org/archive/debian/",
				"What to do: name a mirror that still has it (HIPLOOM_DEB_MIRROR=",
				"bazel run //toolchains/rocm:lock -- --update FILE",
			} {
				assert.Contains(t, strings.ReplaceAll(got.errors, "@@//", "@//"), want)
			}
			// Nothing half-made: with the lock mended, the same workspace works.
			write(t, filepath.Join(dir, "lock.json"), lock(t, "debian-forky.json", func([]map[string]any) {}))
			got = bazel(t, dir, nil, "build", "@rocm//:rocm")
			assert.Equal(t, 0, got.code, got.errors)
		})
	}
}

// mirror passes this machine's Debian mirror on, and cuts one package short.
func mirror(t *testing.T, short *string) *httptest.Server {
	t.Helper()
	debian := machine.DebianMirror(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		response, err := http.Get(debian + strings.TrimPrefix(r.URL.Path, "/debian"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		if *short != "" && strings.Contains(r.URL.Path, *short) {
			body = body[:len(body)/2]
		}
		w.WriteHeader(response.StatusCode)
		w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestTruncatedPackageIsRefusedAndTheNextMirrorAsked(t *testing.T) {
	short := "libmd0_"
	bad, noneShort := mirror(t, &short), ""
	good := mirror(t, &noneShort)
	dir := downstream(t, withLock)
	// An empty repository cache, so that everything is really fetched; apt's own mirrors play no part.
	write(t, filepath.Join(dir, "lock.json"), strings.ReplaceAll(lock(t, "debian-forky.json", func([]map[string]any) {}), `"mirror":""`, fmt.Sprintf(`"mirror":"%s/debian"`, bad.URL)))
	cache := "--repository_cache=" + filepath.Join(dir, "cache")
	got := bazel(t, dir, nil, "build", cache, "@rocm//:rocm")
	assert.NotEqual(t, 0, got.code)
	assert.Contains(t, got.errors, "the package libmd0 ")
	assert.Contains(t, got.errors, bad.URL+"/debian/pool/")

	write(t, filepath.Join(dir, "lock.json"), lock(t, "debian-forky.json", func([]map[string]any) {}))
	got = bazel(t, dir, []string{"HIPLOOM_DEB_MIRROR=" + bad.URL + "/debian, " + good.URL + "/debian"}, "build", cache, "@rocm//:rocm")
	assert.Equal(t, 0, got.code, got.errors)
}

func TestLocksThatAreWrongAreRefusedBeforeAnyFetch(t *testing.T) {
	for name, test := range map[string]struct {
		lock, want string
	}{
		"no hash":   {lock(t, "debian-forky.json", func(p []map[string]any) { find(t, p, "zlib1g")["sha256"] = "" }), "a package has no sha256"},
		"bad hash":  {lock(t, "debian-forky.json", func(p []map[string]any) { find(t, p, "zlib1g")["sha256"] = "123" }), "the SHA-256 of zlib1g is not 64 hexadecimal digits"},
		"no lock":   {"{}", "not a lock of schema 1"},
		"not JSON":  {"hello", "not a lock of schema 1"},
		"two names": {`{"schema": 1}`, "names two ROCm toolchains \"rocm\""},
	} {
		t.Run(name, func(t *testing.T) {
			tags := withLock
			if name == "two names" {
				tags += "\nrocm.local()"
			}
			dir := downstream(t, tags)
			write(t, filepath.Join(dir, "lock.json"), test.lock)
			got := bazel(t, dir, nil, "build", "@rocm//:rocm")
			assert.NotEqual(t, 0, got.code)
			assert.Contains(t, got.errors, test.want)
		})
	}
}

func TestIncompleteLockIsRefusedAtAssembly(t *testing.T) {
	for missing, want := range map[string]string{
		"libmd0":              "needs libraries that its lock does not bring",
		"rocm-device-libs-21": "missing: the device libraries (ocml.bc)",
		"hipify-perl":         "missing: hipify-perl",
	} {
		t.Run(missing, func(t *testing.T) {
			dir := downstream(t, withLock)
			write(t, filepath.Join(dir, "lock.json"), lock(t, "debian-forky.json", func(packages []map[string]any) {
				find(t, packages, missing)["role"] = "unused"
			}))
			got := bazel(t, dir, nil, "build", "@rocm//:rocm")
			assert.NotEqual(t, 0, got.code)
			assert.Contains(t, got.errors, want)
			if missing == "libmd0" {
				assert.Contains(t, got.errors, "libmd.so.0")
			}
		})
	}
}

func TestADownstreamModulesLockWins(t *testing.T) {
	dir := downstream(t, withLock)
	write(t, filepath.Join(dir, "lock.json"), lock(t, "debian-trixie.json", func([]map[string]any) {}))
	got := bazel(t, dir, nil, "run", "@rocm//:clang", "--", "--version")
	require.Equal(t, 0, got.code, got.errors)
	assert.Contains(t, got.out, "clang version 22.")

	dir = downstream(t, "")
	got = bazel(t, dir, nil, "run", "@rocm//:clang", "--", "--version")
	require.Equal(t, 0, got.code, got.errors)
	assert.Contains(t, got.out, "clang version 21.", "without a lock of its own, hiploom's")
}

func TestFetchAndUnpackAreQuick(t *testing.T) {
	dir := downstream(t, "")
	// Bazel's own start is not what this is about.
	require.Equal(t, 0, bazel(t, dir, nil, "build", "@hiploom//toolchains/rocm:archs").code)
	start := time.Now()
	got := bazel(t, dir, nil, "build", "--repository_cache=", "@rocm//:rocm")
	require.Equal(t, 0, got.code, got.errors)
	took := time.Since(start)
	t.Logf("69 MB fetched, checked, unpacked, pruned and assembled in %v", took.Round(100*time.Millisecond))
	assert.Less(t, took, time.Minute)
}

func TestProgramsForPeople(t *testing.T) {
	dir := scratch(t)
	write(t, filepath.Join(dir, "k.cu"), "#include <cuda_runtime.h>\nextern \"C\" __global__ void people(float *x) { x[threadIdx.x] = sinf(x[threadIdx.x]); }\n")
	run := func(program string, args ...string) string {
		t.Helper()
		cmd := exec.Command("sh", append([]string{"-c", `root=$1; shift; cd "$root" && BUILD_WORKING_DIRECTORY= exec ./bazelw run --noshow_progress "$@"`, "-", root(t), "@rocm//:" + program, "--"}, args...)...)
		var errors bytes.Buffer
		cmd.Stderr = &errors
		out, err := cmd.Output()
		require.NoError(t, err, errors.String())
		return string(out)
	}
	hip := run("hipify-perl", filepath.Join(dir, "k.cu"))
	assert.Contains(t, hip, "hip/hip_runtime.h")
	write(t, filepath.Join(dir, "k.hip"), hip)
	run("clang", "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-fhip-emit-relocatable", "--offload-arch=gfx90a", "-O3", "-c", filepath.Join(dir, "k.hip"), "-o", filepath.Join(dir, "k.o"))
	run("lld", "--no-undefined", "-shared", "-o", filepath.Join(dir, "k.hsaco"), filepath.Join(dir, "k.o"))
	assert.Contains(t, run("llvm-objdump", "-d", filepath.Join(dir, "k.hsaco")), "s_endpgm")
	assert.Contains(t, run("llvm-readelf", "--notes", filepath.Join(dir, "k.hsaco")), "amdhsa.kernels")
}

func TestOtherArchitecturesRefetchNothing(t *testing.T) {
	dir := root(t)
	require.Equal(t, 0, bazel(t, dir, nil, "build", "//toolchains/rocm/tests:kernel-gfx90a").code)
	got := bazel(t, dir, nil, "build", "--experimental_repository_disable_download", "--rocm_archs=rdna", "--rocm_archs=gfx90a:xnack+", "//toolchains/rocm:archs", "//toolchains/rocm/tests:kernel-gfx90a")
	assert.Equal(t, 0, got.code, got.errors)
	assert.NotContains(t, got.errors, "Fetching")
	got = bazel(t, dir, nil, "build", "--rocm_archs=gfx1104", "//toolchains/rocm:archs")
	assert.NotEqual(t, 0, got.code)
	assert.Contains(t, got.errors, "nearest: gfx1100, gfx1101, gfx1102, gfx1103")
}

func TestInstalledROCm(t *testing.T) {
	tree := toolchainTree(t, root(t))
	libraries := filepath.Join(tree, "usr/lib/x86_64-linux-gnu")
	for name, bitcode := range map[string]string{"new place": "lib/llvm/amdgcn/bitcode", "old place": "amdgcn/bitcode"} {
		t.Run(name, func(t *testing.T) {
			// An installed ROCm, made of the hermetic one's parts: its programs find their libraries by themselves.
			installed := filepath.Join(scratch(t), "rocm-9.9.9")
			for _, program := range []string{"clang", "lld"} {
				name := map[string]string{"clang": "clang", "lld": "ld.lld"}[program]
				extra := map[string]string{"clang": ` -resource-dir "${0%/bin/clang}/lib/clang/21"`}[program]
				path := filepath.Join(installed, "lib/llvm/bin", program)
				write(t, path, fmt.Sprintf("#!/bin/sh\nexec %s/ld-linux-x86-64.so.2 --inhibit-cache --library-path %s --argv0 %s %s/usr/lib/llvm-21/bin/%s%s --sysroot=%s \"$@\"\n",
					libraries, libraries, name, tree, program, extra, tree))
				if program == "lld" {
					write(t, path, strings.ReplaceAll(string(must(os.ReadFile(path))), " --sysroot="+tree, ""))
				}
				require.NoError(t, os.Chmod(path, 0o755))
			}
			write(t, filepath.Join(installed, "bin/hipify-perl"), fmt.Sprintf("#!/bin/sh\nPERL5LIB=%s/perl-base exec %s/ld-linux-x86-64.so.2 --library-path %s %s/usr/bin/perl %s/usr/bin/hipify-perl \"$@\"\n", libraries, libraries, libraries, tree, tree))
			require.NoError(t, os.Chmod(filepath.Join(installed, "bin/hipify-perl"), 0o755))
			link := func(from, to string) {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(installed, to)), 0o755))
				require.NoError(t, os.Symlink(filepath.Join(tree, from), filepath.Join(installed, to)))
			}
			link("usr/lib/llvm-21/lib/clang/21/include", "lib/llvm/lib/clang/21/include")
			link("usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode", bitcode)
			link("usr/include/hip", "include/hip")
			link("usr/share/hip/version", "share/hip/version")

			dir := downstream(t, fmt.Sprintf("rocm.local(path = %q)", installed))
			copyFile(t, filepath.Join(root(t), "toolchains/rocm/tests/kernel.cu"), filepath.Join(dir, "kernel.cu"))
			write(t, filepath.Join(dir, "BUILD.bazel"), `load("@hiploom//toolchains/rocm/tests:compiled_kernel.bzl", "compiled_kernel")

compiled_kernel(
    name = "kernel",
    src = "kernel.cu",
    arch = "gfx1100",
    toolchain = "@rocm//:rocm",
)
`)
			got := bazel(t, dir, nil, "build", "//:kernel")
			assert.Equal(t, 0, got.code, got.errors)
			assert.FileExists(t, filepath.Join(dir, "bazel-bin/kernel.hsaco"))
		})
	}
}

func TestInstalledROCmThatIsNotThereOrIncomplete(t *testing.T) {
	dir := downstream(t, `rocm.local()`)
	got := bazel(t, dir, []string{"ROCM_PATH=/no/such/rocm"}, "build", "@rocm//:rocm")
	assert.NotEqual(t, 0, got.code)
	assert.Contains(t, got.errors, "no ROCm is installed at /no/such/rocm. Set ROCM_PATH")

	empty := scratch(t)
	got = bazel(t, dir, []string{"ROCM_PATH=" + empty}, "build", "@rocm//:rocm")
	assert.NotEqual(t, 0, got.code)
	assert.Contains(t, got.errors, "is incomplete; missing: clang, lld, clang's headers, the device libraries (ocml.bc)")
}

// toolchainTree is where Bazel has the hermetic compiler.
func toolchainTree(t *testing.T, dir string) string {
	t.Helper()
	require.Equal(t, 0, bazel(t, dir, nil, "build", "@rocm//:rocm").code)
	got := bazel(t, dir, nil, "cquery", "--output=files", "@rocm//:headers")
	require.Equal(t, 0, got.code, got.errors)
	first, _, _ := strings.Cut(got.out, "\n")
	repository := regexp.MustCompile(`^external/[^/]+`).FindString(first)
	require.NotEmpty(t, repository)
	base := strings.TrimSpace(bazel(t, dir, nil, "info", "output_base").out)
	return filepath.Join(base, repository)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	require.NoError(t, err)
	content, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, content, info.Mode().Perm()))
}

// action is what Bazel would run.
type action struct {
	mnemonic    string
	arguments   []string
	environment map[string]string
	inputs      []string
	output      string
}

// actions asks Bazel for the actions that make a target.
func actions(t *testing.T, dir, target string) []action {
	t.Helper()
	got := bazel(t, dir, nil, "aquery", "--output=jsonproto", `mnemonic("Test(Hipify|HipCompile|HipLink)", deps(`+target+`))`)
	require.Equal(t, 0, got.code, got.errors)
	var graph struct {
		Artifacts     []struct{ ID, PathFragmentID int }
		PathFragments []struct {
			ID, ParentID int
			Label        string
		}
		DepSetOfFiles []struct {
			ID                  int
			DirectArtifactIds   []int
			TransitiveDepSetIds []int
		}
		Actions []struct {
			Mnemonic             string
			Arguments            []string
			EnvironmentVariables []struct{ Key, Value string }
			InputDepSetIds       []int
			PrimaryOutputID      int
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &graph))
	fragments := map[int]struct {
		parent int
		label  string
	}{}
	for _, f := range graph.PathFragments {
		fragments[f.ID] = struct {
			parent int
			label  string
		}{f.ParentID, f.Label}
	}
	paths := map[int]string{}
	for _, artifact := range graph.Artifacts {
		var parts []string
		for id := artifact.PathFragmentID; id != 0; id = fragments[id].parent {
			parts = append(parts, fragments[id].label)
		}
		slices.Reverse(parts)
		paths[artifact.ID] = strings.Join(parts, "/")
	}
	sets := map[int]int{}
	for i, set := range graph.DepSetOfFiles {
		sets[set.ID] = i
	}
	var found []action
	for _, a := range graph.Actions {
		each := action{mnemonic: a.Mnemonic, arguments: a.Arguments, environment: map[string]string{}, output: paths[a.PrimaryOutputID]}
		for _, variable := range a.EnvironmentVariables {
			each.environment[variable.Key] = variable.Value
		}
		seen := map[int]bool{}
		queue := slices.Clone(a.InputDepSetIds)
		for len(queue) > 0 {
			id := queue[0]
			queue = queue[1:]
			if seen[id] {
				continue
			}
			seen[id] = true
			set := graph.DepSetOfFiles[sets[id]]
			for _, artifact := range set.DirectArtifactIds {
				each.inputs = append(each.inputs, paths[artifact])
			}
			queue = append(queue, set.TransitiveDepSetIds...)
		}
		slices.Sort(each.inputs)
		each.inputs = slices.Compact(each.inputs)
		found = append(found, each)
	}
	require.Len(t, found, 3)
	return found
}

func TestActionsAreSmallAndHaveNoAbsolutePath(t *testing.T) {
	dir := root(t)
	const target = "//toolchains/rocm/tests:kernel-gfx1100"
	require.Equal(t, 0, bazel(t, dir, nil, "build", target).code)
	execRoot := strings.TrimSpace(bazel(t, dir, nil, "info", "execution_root").out)
	outputBase := strings.TrimSpace(bazel(t, dir, nil, "info", "output_base").out)
	const megabyte = 1 << 20
	for _, a := range actions(t, dir, target) {
		var all, libraries int64
		for _, input := range a.inputs {
			assert.False(t, filepath.IsAbs(input), "%s: input %s", a.mnemonic, input)
			path := filepath.Join(execRoot, input)
			if strings.HasPrefix(input, "external/") {
				path = filepath.Join(outputBase, input)
			}
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.False(t, info.IsDir(), "%s: %s is a directory", a.mnemonic, input)
			all += info.Size()
			if strings.Contains(filepath.Base(input), ".so") {
				libraries += info.Size()
			}
		}
		for _, argument := range a.arguments {
			for _, part := range regexp.MustCompile(`[=:,]`).Split(argument, -1) {
				assert.False(t, filepath.IsAbs(part), "%s: argument %s", a.mnemonic, argument)
			}
		}
		for name, value := range a.environment {
			assert.False(t, filepath.IsAbs(value), "%s: %s=%s", a.mnemonic, name, value)
		}
		t.Logf("%s: %d inputs, %.1f MB, of which libraries %.1f MB", a.mnemonic, len(a.inputs), float64(all)/megabyte, float64(libraries)/megabyte)
		switch a.mnemonic {
		case "TestHipify":
			assert.LessOrEqual(t, all, int64(15*megabyte))
		case "TestHipCompile":
			assert.LessOrEqual(t, all, int64(300*megabyte))
		case "TestHipLink":
			assert.LessOrEqual(t, all-libraries, int64(10*megabyte))
		}
	}
}

func hash(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(content))
}

// The same code from this output base, from another one of a checkout elsewhere, and from a container that holds the
// actions' declared inputs and nothing else: no shell, no /proc, no PATH.
func TestTheSameCodeEverywhere(t *testing.T) {
	const target, object = "//toolchains/rocm/tests:kernel-gfx1100", "bazel-bin/toolchains/rocm/tests/kernel-gfx1100.hsaco"
	here := root(t)
	require.Equal(t, 0, bazel(t, here, nil, "build", target).code)
	want := hash(t, filepath.Join(here, object))

	elsewhere := filepath.Join(scratch(t), "a checkout", "somewhere else")
	require.NoError(t, os.MkdirAll(filepath.Dir(elsewhere), 0o755))
	out, err := exec.Command("git", "clone", "-q", here, elsewhere).CombinedOutput()
	require.NoError(t, err, string(out))
	output := filepath.Join(scratch(t), "another-output-base-with-a-longer-name")
	cmd := exec.Command("./bazelw", "--output_base="+output, "build", target)
	cmd.Dir = elsewhere
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=Asia/Tokyo", "HIPLOOM_BAZELW_WAY="+os.Getenv("HIPLOOM_BAZELW_WAY"))
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, want, hash(t, filepath.Join(elsewhere, object)), "from another output base")
	stop := exec.Command("./bazelw", "--output_base="+output, "shutdown")
	stop.Dir = elsewhere
	_ = stop.Run()

	assert.Equal(t, want, inContainer(t, here, target), "from a container with nothing but the declared inputs")
}

// inContainer runs a target's actions one after the other, each in an empty root, and returns the last output's hash.
func inContainer(t *testing.T, dir, target string) string {
	t.Helper()
	outputBase := strings.TrimSpace(bazel(t, dir, nil, "info", "output_base").out)
	outputs := scratch(t)
	var last string
	order := map[string]int{"TestHipify": 0, "TestHipCompile": 1, "TestHipLink": 2}
	all := actions(t, dir, target)
	slices.SortFunc(all, func(a, b action) int { return order[a.mnemonic] - order[b.mnemonic] })
	for _, a := range all {
		stage := filepath.Join(scratch(t), "root")
		for _, input := range a.inputs {
			from := filepath.Join(outputBase, input)
			if strings.HasPrefix(input, "bazel-out/") {
				from = filepath.Join(outputs, input)
			} else if !strings.HasPrefix(input, "external/") {
				from = filepath.Join(dir, input)
			}
			copyFile(t, from, filepath.Join(stage, input))
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(stage, a.output)), 0o755))
		args := []string{"--unshare-all", "--clearenv", "--bind", stage, "/", "--chdir", "/"}
		for name, value := range a.environment {
			args = append(args, "--setenv", name, value)
		}
		args = append(args, "--")
		args = append(args, a.arguments...)
		args[slices.Index(args, "--")+1] = "/" + a.arguments[0]
		name, prefix := bubblewrap(t, dir)
		out, err := exec.Command(name, append(prefix, args...)...).CombinedOutput()
		require.NoError(t, err, "%s: %s", a.mnemonic, out)
		last = filepath.Join(outputs, a.output)
		copyFile(t, filepath.Join(stage, a.output), last)
	}
	return hash(t, last)
}

// bubblewrap finds the machine's, or the one that bazelw runs Bazel with.
func bubblewrap(t *testing.T, dir string) (string, []string) {
	t.Helper()
	if path, err := exec.LookPath("bwrap"); err == nil {
		return path, nil
	}
	doctor := bazel(t, dir, nil, "--doctor").out
	tree := regexp.MustCompile(`(?m)^tree +(.*)$`).FindStringSubmatch(doctor)
	require.NotNil(t, tree, "no bubblewrap here; install it: apt-get install bubblewrap")
	libraries := tree[1] + "/usr/lib/x86_64-linux-gnu"
	return tree[1] + "/usr/lib64/ld-linux-x86-64.so.2", []string{"--library-path", libraries, tree[1] + "/usr/bin/bwrap"}
}

func TestTreeIsSmall(t *testing.T) {
	var size int64
	require.NoError(t, filepath.WalkDir(toolchainTree(t, root(t)), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		size += info.Size()
		return err
	}))
	assert.LessOrEqual(t, size, int64(300<<20))
	var download float64
	lock(t, "debian-forky.json", func(packages []map[string]any) {
		for _, p := range packages {
			switch p["role"] {
			case "compiler", "devicelibs", "hostlibs", "hipify", "headers":
				download += p["size"].(float64)
			}
		}
	})
	assert.LessOrEqual(t, download, 75e6)
	t.Logf("%.0f MB on disk, %.1f MB to download", float64(size)/(1<<20), download/1e6)
}
