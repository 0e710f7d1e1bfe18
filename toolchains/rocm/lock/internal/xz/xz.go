// Package xz decompresses .xz files of known size. Debian publishes some indexes in no other compressed form.
//
// It holds the whole output in memory, which makes it short, and leaves the checksums to the caller, who knows a better
// one. The format: https://tukaani.org/xz/xz-file-format.txt
package xz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errTruncated = errors.New("xz: file ends early")
	errCorrupt   = errors.New("xz: file is corrupt")
)

const (
	magic       = "\xfd7zXZ\x00"
	filterLZMA2 = 0x21
)

// Decode returns the content of an .xz file of one stream. It fails once the content exceeds size bytes.
func Decode(data []byte, size int64) ([]byte, error) {
	if len(data) < 12 || !bytes.HasPrefix(data, []byte(magic)) {
		return nil, errors.New("xz: not an .xz file")
	}
	checkSize, known := map[byte]int{0: 0, 1: 4, 4: 8, 10: 32}[data[7]]
	if data[6] != 0 || !known {
		return nil, errors.New("xz: unknown kind of check")
	}
	d := &decoder{limit: size}
	for rest := data[12:]; ; {
		if len(rest) == 0 {
			return nil, errTruncated
		}
		if rest[0] == 0 {
			return d.out, nil // The index follows the last block.
		}
		header := (int(rest[0]) + 1) * 4
		if header > len(rest) {
			return nil, errTruncated
		}
		if err := checkBlockHeader(rest[1 : header-4]); err != nil {
			return nil, err
		}
		block, err := d.lzma2(rest[header:])
		if err != nil {
			return nil, err
		}
		end := header + (block+3)/4*4 + checkSize
		if end > len(rest) {
			return nil, errTruncated
		}
		rest = rest[end:]
	}
}

// checkBlockHeader accepts a block whose only filter is LZMA2.
func checkBlockHeader(header []byte) error {
	flags := header[0]
	header = header[1:]
	var fields []uint64
	for range 2 + int(flags>>6&1) + int(flags>>7) {
		value, n := binary.Uvarint(header)
		if n <= 0 {
			return errCorrupt
		}
		fields, header = append(fields, value), header[n:]
	}
	if id := fields[len(fields)-2]; flags&0x3f != 0 || id != filterLZMA2 {
		return fmt.Errorf("xz: block uses a filter other than LZMA2")
	}
	return nil
}

// lzma2 appends a block's content to the output and returns the size of the block's data.
func (d *decoder) lzma2(data []byte) (int, error) {
	for pos := 0; ; {
		if pos >= len(data) {
			return 0, errTruncated
		}
		control := data[pos]
		if control == 0 {
			return pos + 1, nil
		}
		chunk := data[pos:]
		if control < 0x80 {
			if len(chunk) < 3 {
				return 0, errTruncated
			}
			size := int(binary.BigEndian.Uint16(chunk[1:])) + 1
			if control > 2 {
				return 0, errCorrupt
			}
			if len(chunk) < 3+size {
				return 0, errTruncated
			}
			if control == 1 {
				d.base = len(d.out)
			}
			if err := d.reserve(size); err != nil {
				return 0, err
			}
			d.out = append(d.out, chunk[3:3+size]...)
			pos += 3 + size
			continue
		}
		if len(chunk) < 6 {
			return 0, errTruncated
		}
		size := int(control&0x1f)<<16 + int(binary.BigEndian.Uint16(chunk[1:])) + 1
		packed := int(binary.BigEndian.Uint16(chunk[3:])) + 1
		reset, head := control>>5&3, 5
		if reset >= 2 {
			if err := d.setProperties(chunk[5]); err != nil {
				return 0, err
			}
			head = 6
		}
		if len(chunk) < head+packed {
			return 0, errTruncated
		}
		if reset == 3 {
			d.base = len(d.out)
		}
		if reset >= 1 {
			d.resetState()
		}
		if err := d.reserve(size); err != nil {
			return 0, err
		}
		if err := d.lzma(chunk[head:head+packed], len(d.out)+size); err != nil {
			return 0, err
		}
		pos += head + packed
	}
}

func (d *decoder) reserve(size int) error {
	if int64(len(d.out)+size) > d.limit {
		return fmt.Errorf("larger than the %d bytes that Release gives it", d.limit)
	}
	return nil
}
