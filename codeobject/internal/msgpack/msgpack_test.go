package msgpack_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiploom/hiploom/codeobject/internal/msgpack"
)

// Values as the MessagePack specification writes them.
var (
	numbers = map[string]uint64{
		"\x00": 0, "\x7f": 127, "\xcc\x80": 128, "\xcd\x01\x00": 256, "\xce\xff\xff\xff\xff": math.MaxUint32,
		"\xcf\xff\xff\xff\xff\xff\xff\xff\xff": math.MaxUint64,
		"\xd0\x7f":                             127, "\xd1\x01\x00": 256, "\xd2\x7f\xff\xff\xff": math.MaxInt32, "\xd3\x00\x00\x00\x00\x00\x00\x00\x01": 1,
	}
	negatives = []string{"\xff", "\xe0", "\xd0\x80", "\xd1\xff\xff", "\xd2\x80\x00\x00\x00", "\xd3\xff\xff\xff\xff\xff\xff\xff\xff"}
	texts     = map[string]string{
		"\xa0": "", "\xa2hi": "hi", "\xbf" + strings.Repeat("x", 31): strings.Repeat("x", 31), "\xd9\x02hi": "hi",
		"\xda\x00\x02hi": "hi", "\xdb\x00\x00\x00\x02hi": "hi", "\xa2\xff\x00": "\xff\x00",
	}
	arrays = map[string]int{"\x90": 0, "\x92\x01\x02": 2, "\xdc\x00\x02\x01\x02": 2, "\xdd\x00\x00\x00\x02\x01\x02": 2}
	maps   = map[string]int{"\x80": 0, "\x81\x01\x02": 1, "\xde\x00\x01\x01\x02": 1, "\xdf\x00\x00\x00\x01\x01\x02": 1}
	others = []string{
		"\xc0", "\xc4\x02hi", "\xc5\x00\x02hi", "\xc6\x00\x00\x00\x02hi", "\xca\x00\x00\x00\x00", "\xcb\x00\x00\x00\x00\x00\x00\x00\x00",
		"\xc7\x02\x05hi", "\xc8\x00\x02\x05hi", "\xc9\x00\x00\x00\x02\x05hi",
		"\xd4\x05x", "\xd5\x05xx", "\xd6\x05xxxx", "\xd7\x05xxxxxxxx", "\xd8\x05xxxxxxxxxxxxxxxx",
	}
)

func TestReaderReadsEveryForm(t *testing.T) {
	for in, want := range numbers {
		got, err := msgpack.NewReader(in).Uint()
		require.NoError(t, err, "%x", in)
		assert.Equal(t, want, got)
	}
	for in, want := range texts {
		got, err := msgpack.NewReader(in).String()
		require.NoError(t, err, "%x", in)
		assert.Equal(t, want, got)
	}
	for in, want := range arrays {
		got, err := msgpack.NewReader(in).Array()
		require.NoError(t, err, "%x", in)
		assert.Equal(t, want, got)
	}
	for in, want := range maps {
		got, err := msgpack.NewReader(in).Map()
		require.NoError(t, err, "%x", in)
		assert.Equal(t, want, got)
	}
	for in, want := range map[string]bool{"\xc2": false, "\xc3": true, "\x00": false, "\x01": true} {
		got, err := msgpack.NewReader(in).Bool()
		require.NoError(t, err, "%x", in)
		assert.Equal(t, want, got)
	}
}

func TestReaderRefusesOtherTypes(t *testing.T) {
	for _, in := range negatives {
		_, err := msgpack.NewReader(in).Uint()
		assert.ErrorContains(t, err, "negative", "%x", in)
	}
	_, err := msgpack.NewReader("\xcf\x00\x00\x00\x01\x00\x00\x00\x00").Uint32()
	assert.ErrorContains(t, err, "4294967296 does not fit")
	_, err = msgpack.NewReader("\xa1x").Uint()
	assert.ErrorContains(t, err, "a string where a number should be")
	_, err = msgpack.NewReader("\x02").Bool()
	assert.ErrorContains(t, err, "a number where true or false should be")
	_, err = msgpack.NewReader("\x80").Array()
	assert.ErrorContains(t, err, "a map where an array should be")
	_, err = msgpack.NewReader("\x90").Map()
	assert.ErrorContains(t, err, "an array where a map should be")
	_, err = msgpack.NewReader("\xc0").String()
	assert.ErrorContains(t, err, "tag 0xc0 where a string should be")
	assert.ErrorContains(t, msgpack.NewReader("\xc1").Skip(), "tag 0xc1 is no value")
}

// everyForm is one value of each form.
func everyForm() []string {
	all := append(append([]string{"\xc2", "\xc3"}, negatives...), others...)
	for in := range numbers {
		all = append(all, in)
	}
	for in := range texts {
		all = append(all, in)
	}
	for in := range arrays {
		all = append(all, in)
	}
	for in := range maps {
		all = append(all, in)
	}
	return all
}

func TestSkipEndsWhereTheValueDoes(t *testing.T) {
	for _, in := range everyForm() {
		r := msgpack.NewReader(in + "\xa4next")
		require.NoError(t, r.Skip(), "%x", in)
		next, err := r.String()
		require.NoError(t, err, "%x", in)
		assert.Equal(t, "next", next)
		for n := range len(in) {
			assert.ErrorIs(t, msgpack.NewReader(in[:n]).Skip(), msgpack.ErrTruncated, "%x", in[:n])
		}
	}
	nested := "\x82\xa1a\x92\x81\x01\x90\xc0\xa1b\xc7\x01\x00x"
	r := msgpack.NewReader(nested + "\x2a")
	require.NoError(t, r.Skip())
	assert.Equal(t, 1, r.Len())
}

func TestCountsAreBoundByTheInput(t *testing.T) {
	for _, in := range []string{"\xdd\xff\xff\xff\xff\x00", "\xdc\x00\x02\x00", "\x92\x00"} {
		_, err := msgpack.NewReader(in).Array()
		assert.ErrorIs(t, err, msgpack.ErrTruncated, "%x", in)
		assert.ErrorIs(t, msgpack.NewReader(in).Skip(), msgpack.ErrTruncated, "%x", in)
	}
	for _, in := range []string{"\xdf\xff\xff\xff\xff\x00\x00", "\xde\x00\x01\x00", "\x81\x00"} {
		_, err := msgpack.NewReader(in).Map()
		assert.ErrorIs(t, err, msgpack.ErrTruncated, "%x", in)
		assert.ErrorIs(t, msgpack.NewReader(in).Skip(), msgpack.ErrTruncated, "%x", in)
	}
	_, err := msgpack.NewReader("\xdb\xff\xff\xff\xffx").String()
	assert.ErrorIs(t, err, msgpack.ErrTruncated)

	deep := strings.Repeat("\x91", 1<<20) + "\xc0"
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		if err := msgpack.NewReader(deep).Skip(); err != nil {
			t.Error(err)
		}
	}), "nesting takes no memory")
}

// FuzzReader checks the typed methods against Skip: whatever they accept, Skip finds as long.
func FuzzReader(f *testing.F) {
	for _, in := range everyForm() {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		skipped := msgpack.NewReader(in)
		skipErr := skipped.Skip()
		require.LessOrEqual(t, skipped.Len(), len(in))

		if left, err := walk(in); err == nil {
			require.NoError(t, skipErr)
			require.Equal(t, skipped.Len(), left)
		}
		for _, read := range []func(*msgpack.Reader) error{
			func(r *msgpack.Reader) error { _, err := r.Uint(); return err },
			func(r *msgpack.Reader) error { _, err := r.Bool(); return err },
			func(r *msgpack.Reader) error { _, err := r.String(); return err },
		} {
			r := msgpack.NewReader(in)
			if read(r) == nil {
				require.NoError(t, skipErr)
				require.Equal(t, skipped.Len(), r.Len())
			}
		}
	})
}

// walk reads a value by its typed methods, what it holds included, and returns how many bytes are left.
func walk(in string) (left int, err error) {
	r := msgpack.NewReader(in)
	rest := func() string { return in[len(in)-r.Len():] }
	for pending := 1; pending > 0; pending-- {
		at := rest()
		for i, read := range []func(*msgpack.Reader) (int, error){
			func(r *msgpack.Reader) (int, error) { n, err := r.Map(); return 2 * n, err },
			func(r *msgpack.Reader) (int, error) { return r.Array() },
			func(r *msgpack.Reader) (int, error) { _, err := r.String(); return 0, err },
			func(r *msgpack.Reader) (int, error) { _, err := r.Uint(); return 0, err },
			func(r *msgpack.Reader) (int, error) { _, err := r.Bool(); return 0, err },
		} {
			r = msgpack.NewReader(at)
			n, err := read(r)
			if err == nil {
				pending += n
				break
			}
			if i == 4 {
				return 0, err
			}
		}
	}
	return r.Len(), nil
}
