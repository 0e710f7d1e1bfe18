// Package msgpack reads MessagePack value by value, without building a tree: what a document makes the reader allocate
// is its caller's choice, not the document's.
package msgpack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrTruncated is what errors wrap where the input ends within a value, or holds fewer values than it announces.
var ErrTruncated = errors.New("input ends too early")

// Reader reads the values of one document in order. Each method consumes a value, or of Array and Map the header.
// After an error a Reader is of no further use.
type Reader struct {
	in  string
	pos int
}

// NewReader returns a Reader of in. It is a string because the strings that are read share its memory.
func NewReader(in string) *Reader { return &Reader{in: in} }

// Len returns how many bytes are left.
func (r *Reader) Len() int { return len(r.in) - r.pos }

// The tags of values that are not told by a range of first bytes.
const (
	tagNil      = 0xc0
	tagFalse    = 0xc2
	tagTrue     = 0xc3
	tagBin8     = 0xc4
	tagBin32    = 0xc6
	tagExt8     = 0xc7
	tagExt32    = 0xc9
	tagFloat32  = 0xca
	tagFloat64  = 0xcb
	tagUint8    = 0xcc
	tagUint64   = 0xcf
	tagInt8     = 0xd0
	tagInt64    = 0xd3
	tagFixExt1  = 0xd4
	tagFixExt16 = 0xd8
	tagStr8     = 0xd9
	tagStr32    = 0xdb
	tagArray16  = 0xdc
	tagArray32  = 0xdd
	tagMap16    = 0xde
	tagMap32    = 0xdf
)

func (r *Reader) take(n uint64) (string, error) {
	if n > uint64(r.Len()) {
		return "", fmt.Errorf("%d bytes wanted, %d left: %w", n, r.Len(), ErrTruncated)
	}
	s := r.in[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return s, nil
}

func (r *Reader) tag() (byte, error) {
	s, err := r.take(1)
	if err != nil {
		return 0, err
	}
	return s[0], nil
}

// bigEndian reads an unsigned number of 1<<log2 bytes.
func (r *Reader) bigEndian(log2 byte) (uint64, error) {
	s, err := r.take(1 << log2)
	if err != nil {
		return 0, err
	}
	var b [8]byte
	copy(b[8-len(s):], s)
	return binary.BigEndian.Uint64(b[:]), nil
}

// Uint reads an integer that is not negative.
func (r *Reader) Uint() (uint64, error) {
	tag, err := r.tag()
	switch {
	case err != nil:
		return 0, err
	case tag <= 0x7f:
		return uint64(tag), nil
	case tagUint8 <= tag && tag <= tagUint64:
		return r.bigEndian(tag - tagUint8)
	case tagInt8 <= tag && tag <= tagInt64:
		log2 := tag - tagInt8
		n, err := r.bigEndian(log2)
		if err == nil && n>>(8<<log2-1) != 0 {
			err = errors.New("a negative number where none may be")
		}
		return n, err
	case tag >= 0xe0:
		return 0, errors.New("a negative number where none may be")
	}
	return 0, fmt.Errorf("%s where a number should be", kind(tag))
}

// Uint32 reads an integer that fits.
func (r *Reader) Uint32() (uint32, error) {
	n, err := r.Uint()
	if err == nil && n > math.MaxUint32 {
		err = fmt.Errorf("%d does not fit 32 bits", n)
	}
	return uint32(n), err
}

// Bool reads true or false, or 1 or 0: LLVM writes some of its flags so.
func (r *Reader) Bool() (bool, error) {
	tag, err := r.tag()
	switch {
	case err != nil:
		return false, err
	case tag <= 1:
		return tag == 1, nil
	case tag == tagFalse || tag == tagTrue:
		return tag == tagTrue, nil
	}
	return false, fmt.Errorf("%s where true or false should be", kind(tag))
}

// String reads a string. It need not be UTF-8.
func (r *Reader) String() (string, error) {
	tag, err := r.tag()
	if err != nil {
		return "", err
	}
	var n uint64
	switch {
	case 0xa0 <= tag && tag <= 0xbf:
		n = uint64(tag & 0x1f)
	case tagStr8 <= tag && tag <= tagStr32:
		if n, err = r.bigEndian(tag - tagStr8); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("%s where a string should be", kind(tag))
	}
	return r.take(n)
}

// Array reads an array's header and returns the number of elements that follow, which is at most Len.
func (r *Reader) Array() (int, error) {
	tag, err := r.tag()
	if err != nil {
		return 0, err
	}
	if !isArray(tag) {
		return 0, fmt.Errorf("%s where an array should be", kind(tag))
	}
	return r.count(tag, tagArray16, 1)
}

// Map reads a map's header and returns the number of pairs, a key and a value, that follow; twice that is at most Len.
func (r *Reader) Map() (int, error) {
	tag, err := r.tag()
	if err != nil {
		return 0, err
	}
	if !isMap(tag) {
		return 0, fmt.Errorf("%s where a map should be", kind(tag))
	}
	return r.count(tag, tagMap16, 2)
}

// count reads how many items an array or map has, whose every item takes at least so many bytes.
func (r *Reader) count(tag, tag16 byte, itemSize int) (int, error) {
	n := uint64(tag & 0xf)
	if tag >= tag16 {
		var err error
		if n, err = r.bigEndian(tag - tag16 + 1); err != nil {
			return 0, err
		}
	}
	if n > uint64(r.Len()/itemSize) {
		return 0, fmt.Errorf("%s announces %d items, %d bytes are left: %w", kind(tag), n, r.Len(), ErrTruncated)
	}
	return int(n), nil
}

// Skip reads a value of any type, with all that is in it. However deep that nests, it takes no memory.
func (r *Reader) Skip() error {
	// Announced items are never many more than bytes: count bounds each header, the check below their sum.
	for pending := 1; pending > 0; pending-- {
		if pending > r.Len() {
			return fmt.Errorf("%d values announced, %d bytes left: %w", pending, r.Len(), ErrTruncated)
		}
		tag, err := r.tag()
		if err != nil {
			return err
		}
		var size uint64
		switch {
		case tag <= 0x7f || tag >= 0xe0 || tag == tagNil || tag == tagFalse || tag == tagTrue:
		case isMap(tag):
			n, err := r.count(tag, tagMap16, 2)
			if err != nil {
				return err
			}
			pending += 2 * n
		case isArray(tag):
			n, err := r.count(tag, tagArray16, 1)
			if err != nil {
				return err
			}
			pending += n
		case tag <= 0xbf:
			size = uint64(tag & 0x1f)
		case tag <= 0xc1:
			return fmt.Errorf("%s is no value", kind(tag))
		case tag <= tagBin32:
			size, err = r.bigEndian(tag - tagBin8)
		case tag <= tagExt32:
			size, err = r.bigEndian(tag - tagExt8)
			size++
		case tag <= tagFloat64:
			size = 4 << (tag - tagFloat32)
		case tag <= tagUint64:
			size = 1 << (tag - tagUint8)
		case tag <= tagInt64:
			size = 1 << (tag - tagInt8)
		case tag <= tagFixExt16:
			size = 1 + 1<<(tag-tagFixExt1)
		default:
			size, err = r.bigEndian(tag - tagStr8)
		}
		if err == nil {
			_, err = r.take(size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isMap(tag byte) bool { return tag&0xf0 == 0x80 || tag == tagMap16 || tag == tagMap32 }

func isArray(tag byte) bool { return tag&0xf0 == 0x90 || tag == tagArray16 || tag == tagArray32 }

// kind names a tag's type for error messages.
func kind(tag byte) string {
	switch {
	case isMap(tag):
		return "a map"
	case isArray(tag):
		return "an array"
	case 0xa0 <= tag && tag <= 0xbf || tagStr8 <= tag && tag <= tagStr32:
		return "a string"
	case tag <= 0x7f || tag >= 0xe0 || tagUint8 <= tag && tag <= tagInt64:
		return "a number"
	case tag == tagFalse || tag == tagTrue:
		return "true or false"
	}
	return fmt.Sprintf("tag 0x%02x", tag)
}
