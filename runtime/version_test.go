package rocm

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionIsTheModulesVersion(t *testing.T) {
	// Both Bazel and go test start a test in its package's directory.
	module, err := os.ReadFile("../MODULE.bazel")
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?s)module\(\s*name = "hiploom",\s*version = "([^"]+)"`).FindSubmatch(module)
	require.NotNil(t, declared, "MODULE.bazel declares no version")
	assert.Equal(t, string(declared[1]), Version)
}
