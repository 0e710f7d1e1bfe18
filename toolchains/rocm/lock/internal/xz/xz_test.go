package xz

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the xz program makes of stanzas(), or of other content, with various options.
const (
	properties = "/Td6WFoAAArh+wyhAgAhARYAAAB0L+Wj4AJXAKccACgZC5P9NHldlQtRx8V0FmUVCLHik5m++SiisujQnl3rRSNBpDUID9CJRRv0qQfwSAl1FTM633Kd6Yn+5dnzzaJOqUcP+IQbNPUSQCXzYC1a3gHlMkkw0gjbqHTxo+QcPA7JK6U0NZgVk/IoIPDqAGFWC93anCdZO1eY/qrMWh3sqGMIYM5XaFGMcg8ytSO3/3QSUgfkA0MUYaz5Vx+tG8rbdTJe4OzEAACTUOWkQBRWmDdmldoDsTjHL1bMGGiXKopaTdWzebJpHgAB2wHYBAAAKyglYrbp3xwCAAAAAApZWg=="
	blocks     = "/Td6WFoAAAFpIt42AgAhARYAAAB0L+Wj4AGPAHldACgYSGbb2jCF/hbspnVsZpRhdWL0jib8EMehjU1CKKFeDmMEZRniGML2jYYmJqVvABquYEv2BbBOLGYt/RtmWUIoj7zevQ7jSxgbXG8bCRanbjvPhjATrnEN/vfusLXbxnykD6F0dQkPzwkxUPKpERJZV19bZsUvXsAAAAAAPHBEYAIAIQEWAAAAdC/lo+ABjwB9XQAdCAKHm77nD+Z4I3MvKUfhPu23bdXM4H50T5waJlrn9xjLVk58levY8giEra80lczSrgV5UpMXZbGcOwRvPcs+eMUFsNeb7oZil9pHm5rYjw1LJos42yhrFM4rM4xnJJZDg0lK/6gt1JRZi4ZeZlsB5Jb6gLdkEQvBw79HoAAAAABbwrHdAgAhARYAAAB0L+Wj4ABjADpdADCYybeDI2VA9SrGCMd24k1IPaz3rJ3e3D4AM43ag5hgJqEiOCClwAHF42PsCoP8WiGc2UK1i9fLwAAAAABhocVNAAORAZADlQGQA1JkvJLSyJvjUUADAAAAAAFZWg=="
	stored     = "/Td6WFoAAAD/EtlBAgAhARYAAAB0L+WjAQBFHC4BG8bczXaLM7q4/CPrcY8MD/UVQkhppHsYSpc0LEXfRxGeifIYta4xuDayuo30kEwNFq7eBLIZJ97b1npdUxcItFyWCgAAAAABVkZcq9hTBnKeegEAAAAAAFla"
	storedHex  = "1c2e011bc6dccd768b33bab8fc23eb718f0c0ff515424869a47b184a97342c45df47119e89f218b5ae31b836b2ba8df4904c0d16aede04b21927dedbd67a5d531708b45c960a"
	zeros      = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4YafAFNdAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE1rH1lwAAAACPxpSiGONw8QABb6CNBgAAkORuUbHEZ/sCAAAAAARZWg=="
	empty      = "/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo="
)

func stanzas(size int) string {
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "Package: p%d\nVersion: 1.%d-%d\nSize: %d\n\n", i, i*7%13, i%5, i*i)
	}
	return b.String()[:size]
}

func unhex(text string) string {
	data, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestFilesOfXzAreDecoded(t *testing.T) {
	for name, test := range map[string]struct{ encoded, want string }{
		"lc=1 lp=3 pb=0": {properties, stanzas(600)},
		"blocks":         {blocks, stanzas(900)},
		"zeros":          {zeros, strings.Repeat("\x00", 100000)},
		"not compressed": {stored, unhex(storedHex)},
		"empty":          {empty, ""},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := base64.StdEncoding.DecodeString(test.encoded)
			require.NoError(t, err)
			got, err := Decode(data, int64(len(test.want)))
			require.NoError(t, err)
			require.Equal(t, test.want, string(got))
			for end := range len(data) - 28 { // The index and the footer are not needed.
				short, err := Decode(data[:end], int64(len(test.want)))
				require.Error(t, err, "cut to %d bytes: %d bytes", end, len(short))
			}
			if test.want != "" {
				_, err = Decode(data, int64(len(test.want))-1)
				require.ErrorContains(t, err, "larger than")
			}
		})
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(properties)
	require.NoError(t, err)
	for name, change := range map[string]func([]byte) []byte{
		"empty":              func([]byte) []byte { return nil },
		"gzip":               func([]byte) []byte { return []byte("\x1f\x8b\x08 and some more bytes") },
		"unknown check":      func(b []byte) []byte { b[7] = 9; return b },
		"two filters":        func(b []byte) []byte { b[13] |= 1; return b },
		"another filter":     func(b []byte) []byte { b[14] = 4; return b },
		"bad properties":     func(b []byte) []byte { b[29] = 255; return b },
		"bad LZMA2 control":  func(b []byte) []byte { b[24] = 3; return b },
		"no dictionary":      func(b []byte) []byte { b[24] = 0x80; return b },
		"bad range coder":    func(b []byte) []byte { b[30] = 1; return b },
		"distance too large": func(b []byte) []byte { b[31] = 0xff; b[32] = 0xff; return b },
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(change(append([]byte(nil), data...)), 600)
			require.Error(t, err)
		})
	}
}

func FuzzDecodeStaysInBounds(f *testing.F) {
	for _, encoded := range []string{properties, blocks, stored, zeros, empty} {
		data, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if out, err := Decode(data, 1<<16); err == nil {
			require.LessOrEqual(t, len(out), 1<<16)
		}
	})
}
