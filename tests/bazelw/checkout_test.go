// Package bazelw holds the tests of the launcher, which run it as a person would.
//
// Those in setup_test.go really set Bazel up, over the network and for minutes: .ci/run starts them, with -tags setup.
package bazelw

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repository is where this project's files are, seen from a test's directory, under Bazel and under go test.
const repository = "../.."

// checkout copies the files that bazelw is made of, and no more, to dir.
func checkout(t *testing.T, dir string) string {
	t.Helper()
	for _, name := range []string{"bazelw", ".bazelversion", "MODULE.bazel", "go.mod", "go.sum", "tools/bazelw"} {
		copyTree(t, filepath.Join(repository, name), filepath.Join(dir, name))
	}
	return dir
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		// Runfiles are links to files.
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if info.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm()|0o600)
	}))
}

// outcome is what a finished command left.
type outcome struct {
	code           int
	stdout, stderr string
}

// call runs a command with exactly the environment given.
func call(t *testing.T, dir string, env []string, name string, args ...string) outcome {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, env
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%s did not start", name)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// program writes an executable shell script.
func program(t *testing.T, path string, lines ...string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+strings.Join(lines, "\n")+"\n"), 0o755))
	return path
}
