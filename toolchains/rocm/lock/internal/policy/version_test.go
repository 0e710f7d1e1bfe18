package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func parse(t *testing.T, text string) Version {
	t.Helper()
	v, err := ParseVersion(text)
	require.NoError(t, err)
	return v
}

func TestVersionsOrderAsDpkgDoes(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"1.0", "1.0", 0},
		{"1.0", "0:1.0", 0},
		{"1.0", "1.0-0", 0},
		{"1.00", "1.0", 0},
		{"1.0-01", "1.0-1", 0},
		{"1", "2", -1},
		{"9", "10", -1},
		{"1.9", "1.10", -1},
		{"2:1", "10:0", -1},
		{"1:1", "2", 1},
		{"1.0-1", "1.0-2", -1},
		{"1.0-9", "1.0-10", -1},
		{"1.0", "1.0-1", -1},
		{"1.0-1", "1.0-1+b1", -1},
		{"1.0-1+b1", "1.0-1+b10", -1},
		{"1.0-1", "1.0-1.1", -1},
		// A tilde sorts before everything, even the end.
		{"1.0~rc1", "1.0", -1},
		{"1.0~rc1", "1.0~rc2", -1},
		{"1.0~~", "1.0~", -1},
		{"1.0~~a", "1.0~", -1},
		{"1.0~", "1.0", -1},
		{"1.0-1~deb13u4", "1.0-1", -1},
		{"1.0-1~bpo13+1", "1.0-1~deb13u1", -1},
		{"22.1.8-1~deb13u4", "22.1.8-1~deb13u10", -1},
		// Letters sort before everything else, and after the end.
		{"1.0", "1.0a", -1},
		{"1.0a", "1.0b", -1},
		{"1.0Z", "1.0a", -1},
		{"1.0a", "1.0+", -1},
		{"1.0a", "1.0.", -1},
		{"1.0+", "1.0-1", 1},
		{"1.0+", "1.0.", -1},
		{"1a", "1.", -1},
		{"1.0", "1.0.0", -1},
		// Hyphens and colons inside the upstream version.
		{"1-2-3", "1-2-4", -1},
		{"1-3-1", "1-2-9", 1},
		{"0:1:2", "0:1:10", -1},
		// Numbers longer than any machine word.
		{"99999999999999999999999", "100000000000000000000000", -1},
		{"1:1.3.dfsg+really1.3.2-3", "1:1.3.dfsg-4", 1},
		{"2.12.7+dfsg+really2.9.14-2.1+deb13u3", "2.12.7+dfsg+really2.9.14-2.1+deb13u2", 1},
		{"6.0+git20231212.5a852ed-2", "6.0-2", 1},
		{"7.0.2+dfsg-3", "7.0.2-9", 1},
		{"6.4.3.60403-128~22.04", "6.4.3.60403-128~24.04", -1},
	} {
		require.Equal(t, test.want, parse(t, test.a).Compare(parse(t, test.b)), "%s against %s", test.a, test.b)
		require.Equal(t, -test.want, parse(t, test.b).Compare(parse(t, test.a)), "%s against %s", test.b, test.a)
	}
}

func TestBadVersionsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", ":1", "a:1", "1:", "-1:1", "2147483648:1", "99999999999999999999:1", "a1", "~1", "1-", "1-a_b", "1 2", "1\n", "1/2",
		"-1", "1_0", "1:2-3:4", "١", strings.Repeat("1", maxVersion+1),
	} {
		_, err := ParseVersion(text)
		require.Error(t, err, "%q", text)
	}
}

func FuzzVersionOrderIsAntisymmetric(f *testing.F) {
	for _, seed := range []string{"1.0", "1.0~rc1", "1:2-3+b1", "0:1:2-0", "1.0a", "1+dfsg~-~"} {
		f.Add(seed, "1.0-1", "1.0~")
	}
	f.Fuzz(func(t *testing.T, x, y, z string) {
		a, errA := ParseVersion(x)
		b, errB := ParseVersion(y)
		c, errC := ParseVersion(z)
		if errA != nil || errB != nil || errC != nil {
			return
		}
		require.Zero(t, a.Compare(a))
		require.Equal(t, -a.Compare(b), b.Compare(a))
		if a.Compare(b) <= 0 && b.Compare(c) <= 0 {
			require.LessOrEqual(t, a.Compare(c), 0)
		}
	})
}
