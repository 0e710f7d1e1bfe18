package aptsources

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestOneLineFormat(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []Source
		fail string
	}{
		"empty":            {text: "\n  \n# deb http://a.example/debian forky main\n"},
		"plain":            {text: "deb http://a.example/debian forky main contrib", want: []Source{{URIs: []string{"http://a.example/debian"}, Suites: []string{"forky"}, Components: []string{"main", "contrib"}}}},
		"https and tabs":   {text: "\tdeb\thttps://a.example/debian\tforky\tmain # why\r\n", want: []Source{{URIs: []string{"https://a.example/debian"}, Suites: []string{"forky"}, Components: []string{"main"}}}},
		"options":          {text: "deb [ arch=amd64,i386 signed-by=/k.gpg trusted=no ] http://a.example/ forky main", want: []Source{{URIs: []string{"http://a.example/"}, Suites: []string{"forky"}, Components: []string{"main"}, Architectures: []string{"amd64", "i386"}, SignedBy: "/k.gpg"}}},
		"options, no gap":  {text: "deb [arch=amd64]http://a.example/ forky main", want: []Source{{URIs: []string{"http://a.example/"}, Suites: []string{"forky"}, Components: []string{"main"}, Architectures: []string{"amd64"}}}},
		"flat":             {text: "deb file:/srv/debs ./", want: []Source{{URIs: []string{"file:/srv/debs"}, Suites: []string{"./"}, Components: []string{}}}},
		"source packages":  {text: "deb-src http://a.example/debian forky main"},
		"compact disc":     {text: "deb cdrom:[Debian 13 _Trixie_]/ trixie main"},
		"unclosed options": {text: "deb [arch=amd64 http://a.example/ forky main", fail: "line 1: options lack"},
		"no suite":         {text: "\ndeb http://a.example/", fail: "line 2: a source needs"},
		"unknown type":     {text: "rpm http://a.example/ x", fail: `"rpm" is not a source`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseList(strings.NewReader(test.text))
			if test.fail != "" {
				require.ErrorContains(t, err, test.fail)
				return
			}
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestDeb822Format(t *testing.T) {
	sources, err := ParseDeb822(strings.NewReader(`# The machine's own.
Types: deb deb-src
# a comment inside
URIs: http://a.example/debian
 https://b.example/debian
Suites: forky forky-updates
Components: main contrib
Architectures: amd64
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: forky
Components: main

enabled: False
Types: deb
URIs: http://off.example/debian
Suites: forky
Components: main

Types: deb-src
URIs: http://source.example/debian
Suites: forky
Components: main

Enabled: yes
Types: deb
URIs: http://c.example/debian
Suites: sid
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 xyz
`))
	require.NoError(t, err)
	require.Len(t, sources, 2)
	require.Equal(t, Source{
		URIs: []string{"http://a.example/debian", "https://b.example/debian"}, Suites: []string{"forky", "forky-updates"},
		Components: []string{"main", "contrib"}, Architectures: []string{"amd64"}, SignedBy: "/usr/share/keyrings/debian-archive-keyring.gpg",
	}, sources[0])
	require.Equal(t, []string{"http://a.example/debian/", "https://b.example/debian/", "http://c.example/debian/"}, DebianMirrors(sources, "amd64"))
	require.Equal(t, []string{"http://c.example/debian/"}, DebianMirrors(sources, "arm64"))

	_, err = ParseDeb822(strings.NewReader("Types: deb\nTypes: deb\n"))
	require.ErrorContains(t, err, "occurs twice")
}

func TestOnlyDebianMirrorsAreTaken(t *testing.T) {
	for line, want := range map[string][]string{
		"deb http://a.example/debian/ forky main":                                                  {"http://a.example/debian/"},
		"deb http://a.example/debian// forky main":                                                 {"http://a.example/debian/"},
		"deb file:/srv/debian forky main":                                                          {"file:/srv/debian/"},
		"deb http://a.example/debian-security forky-security main":                                 nil,
		"deb http://a.example/debian forky-security main":                                          nil,
		"deb http://a.example/debian jessie/updates main":                                          nil,
		"deb http://a.example/debian forky contrib":                                                nil,
		"deb http://a.example/ubuntu noble main":                                                   nil,
		"deb http://vendor.example/linux/debian bookworm stable":                                   nil,
		"deb [signed-by=/etc/apt/keyrings/vendor.gpg] http://vendor.example/debian bookworm main":  nil,
		"deb [signed-by=/k/debian-archive-keyring.gpg] http://proxy.example/remote-apt forky main": {"http://proxy.example/remote-apt/"},
		"deb [arch=arm64] http://a.example/debian forky main":                                      nil,
		"deb mirror+file:/etc/apt/mirrors/debian forky main":                                       nil,
		"deb http://[bad/debian forky main":                                                        nil,
		"deb http://a.example/rocm/apt/7.0 noble main":                                             nil,
	} {
		sources, err := ParseList(strings.NewReader(line))
		require.NoError(t, err)
		require.Equal(t, want, DebianMirrors(sources, "amd64"), line)
	}
}

func TestFilesAreReadInOrderAndABadOneCostsOnlyItself(t *testing.T) {
	sources, err := Read(fstest.MapFS{
		"sources.list":                    {Data: []byte("deb http://first.example/debian forky main\n")},
		"sources.list.d/b.sources":        {Data: []byte("Types: deb\nURIs: http://third.example/debian http://first.example/debian/\nSuites: forky\nComponents: main\n")},
		"sources.list.d/a.list":           {Data: []byte("deb http://second.example/debian forky main\n")},
		"sources.list.d/c.list":           {Data: []byte("nonsense\n")},
		"sources.list.d/d.list.disabled":  {Data: []byte("deb http://off.example/debian forky main\n")},
		"sources.list.d/readme.txt":       {Data: []byte("deb http://off.example/debian forky main\n")},
		"sources.list.d/e.sources.backup": {Data: []byte("Types: deb\n")},
	})
	require.ErrorContains(t, err, `sources.list.d/c.list: line 1: "nonsense" is not a source`)
	require.Equal(t, []string{"http://first.example/debian/", "http://second.example/debian/", "http://third.example/debian/"}, DebianMirrors(sources, "amd64"))

	sources, err = Read(fstest.MapFS{})
	require.NoError(t, err)
	require.Empty(t, sources)
}

func FuzzSources(f *testing.F) {
	f.Add("deb [arch=amd64] http://a.example/debian forky main # x")
	f.Add("Types: deb\nURIs: http://a.example/debian\nSuites: forky\nComponents: main\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []string{"sources.list", "sources.list.d/x.sources"} {
			sources, _ := Read(fstest.MapFS{parse: {Data: []byte(text)}})
			for _, mirror := range DebianMirrors(sources, "amd64") {
				require.Regexp(t, `^(http|https|file):.*/$`, mirror)
				require.NotContains(t, mirror, " ")
			}
		}
	})
}
