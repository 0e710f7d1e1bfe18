package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSyntax(t *testing.T) {
	label := func(s string) error { return CheckLabel("role", s) }
	segment := func(s string) error { return CheckSegment("suite", s) }
	for name, test := range map[string]struct {
		check     func(string) error
		good, bad []string
	}{
		"package name": {CheckPackageName,
			[]string{"clang-21", "libstdc++6", "0ad", "libxml2-16", "python3.13"},
			[]string{"", "a", "-a", "+a", "A1", "a_b", "a b", "a/b", "..", strings.Repeat("a", 300)}},
		"label": {label,
			[]string{"compiler", "headers-optional", "amd64", "compiler-alt-19"},
			[]string{"", "-a", "A", "a b", "a/b", "a=b"}},
		"segment": {segment,
			[]string{"forky", "trixie-updates", "main", "non-free-firmware", "6.4.3"},
			[]string{"", ".", "..", "./", "a/b", "-a", "a b", "a%2f"}},
		"file name": {CheckFilename,
			[]string{"pool/main/l/llvm/clang-21_21.1.8-13_amd64.deb", "a.deb", "pool/p/a+b~c_1:2.deb"},
			[]string{"", ".", "/a.deb", "../a.deb", "pool/../a.deb", "pool//a.deb", "./a.deb", "pool/a.deb/", "pool/a.deb\n", "pool/\x1b[2J.deb",
				"pool\\a.deb", "pool/a%2f.deb", "pool/a.deb?x=.deb", "pool/a#.deb", "pool/a b.deb", "pool/a.tar", "pool/é.deb"}},
		"SHA256": {CheckSHA256,
			[]string{strings.Repeat("0a", 32)},
			[]string{"", strings.Repeat("0a", 31), strings.Repeat("0A", 32), strings.Repeat("0g", 32), strings.Repeat("0a", 33)}},
		"archive URL": {CheckArchiveURL,
			[]string{"http://mirror.example/debian/", "https://mirror.example", "file:///srv/mirror"},
			[]string{"", "mirror.example", "ftp://mirror.example/", "http:///debian", "file://host/x", "file:x", "http://u:p@mirror.example/",
				"http://mirror.example/?a=b", "http://mirror.example/#x", "http://mirror.example/\x00"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range test.good {
				require.NoError(t, test.check(text))
			}
			for _, text := range test.bad {
				require.Error(t, test.check(text), "%q", text)
			}
		})
	}
	require.NotContains(t, CheckArchiveURL("http://u:secret@mirror.example/").Error(), "secret")
	for _, size := range []int64{0, -1, MaxPackageSize + 1} {
		require.Error(t, CheckSize(size))
	}
	require.NoError(t, CheckSize(139160))
}
