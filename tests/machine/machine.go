// Package machine tells tests about the machine that they run on.
package machine

import (
	"os/exec"
	"regexp"
	"testing"
)

// DebianMirror returns the address of the Debian archive that this machine's apt uses, without a slash at the end.
func DebianMirror(t *testing.T) string {
	t.Helper()
	listing, err := exec.Command("apt-get", "update", "--print-uris", "-q", "-o", "Debug::NoLocking=true", "-o", "Dir::State::lists="+t.TempDir()).Output()
	if err != nil {
		t.Fatalf("apt-get does not say which mirrors it uses: %v", err)
	}
	found := regexp.MustCompile(`'(https?://[^']*)/dists/[a-z]+/InRelease'`).FindSubmatch(listing)
	if found == nil {
		t.Fatal("apt's sources name no Debian mirror")
	}
	return string(found[1])
}
