package xz

import "encoding/binary"

const (
	states       = 12
	maxPosStates = 16
	topValue     = 1 << 24
)

// probability is an adaptive estimate, of 2048, that a bit is 0.
type probability = uint16

// decoder decodes LZMA into out, which is its dictionary too.
type decoder struct {
	out   []byte
	base  int // Where the dictionary starts in out.
	limit int64

	packed      []byte // What the range decoder has yet to read.
	width, code uint32
	overrun     bool

	lc, lp, pb uint
	state      int
	reps       [4]uint32

	literals                          []probability // nil until a chunk has set the properties.
	isMatch, isLongRep                [states][maxPosStates]probability
	isRep, isRep1Up, isRep2Up, isRep3 [states]probability
	slots                             [4][64]probability
	special                           [14][32]probability // By slot; 4 to 13 are used.
	align                             [16]probability
	matchLength, repLength            lengths
}

type lengths struct {
	beyondLow, beyondMid probability
	low, mid             [maxPosStates][8]probability
	high                 [256]probability
}

func (d *decoder) setProperties(b byte) error {
	lc, lp, pb := uint(b%9), uint(b/9%5), uint(b/45)
	if pb > 4 || lc+lp > 4 {
		return errCorrupt
	}
	d.lc, d.lp, d.pb = lc, lp, pb
	d.literals = make([]probability, 0x300<<(lc+lp))
	return nil
}

func (d *decoder) resetState() {
	d.state, d.reps = 0, [4]uint32{}
	fill := func(ps []probability) {
		for i := range ps {
			ps[i] = 1 << 10
		}
	}
	fill(d.literals)
	for i := range states {
		fill(d.isMatch[i][:])
		fill(d.isLongRep[i][:])
	}
	for _, ps := range []*[states]probability{&d.isRep, &d.isRep1Up, &d.isRep2Up, &d.isRep3} {
		fill(ps[:])
	}
	for i := range d.slots {
		fill(d.slots[i][:])
	}
	for i := range d.special {
		fill(d.special[i][:])
	}
	fill(d.align[:])
	for _, l := range []*lengths{&d.matchLength, &d.repLength} {
		l.beyondLow, l.beyondMid = 1<<10, 1<<10
		for i := range maxPosStates {
			fill(l.low[i][:])
			fill(l.mid[i][:])
		}
		fill(l.high[:])
	}
}

// lzma decodes a chunk until the output has end bytes.
func (d *decoder) lzma(packed []byte, end int) error {
	if len(packed) < 5 || packed[0] != 0 || d.literals == nil {
		return errCorrupt
	}
	d.width, d.code, d.packed, d.overrun = 1<<32-1, binary.BigEndian.Uint32(packed[1:]), packed[5:], false
	for len(d.out) < end {
		pos := len(d.out) - d.base
		posState := pos & (1<<d.pb - 1)
		if d.bit(&d.isMatch[d.state][posState]) == 0 {
			if err := d.literal(pos); err != nil {
				return err
			}
			continue
		}
		length, err := d.match(posState)
		if err != nil {
			return err
		}
		distance := int(d.reps[0]) + 1
		if distance > pos || length > end-len(d.out) || d.overrun {
			return errCorrupt
		}
		for range length {
			d.out = append(d.out, d.out[len(d.out)-distance])
		}
	}
	if d.overrun {
		return errCorrupt
	}
	return nil
}

func (d *decoder) literal(pos int) error {
	var previous byte
	if pos > 0 {
		previous = d.out[len(d.out)-1]
	}
	context := pos&(1<<d.lp-1)<<d.lc + int(previous>>(8-d.lc))
	probs := d.literals[0x300*context : 0x300*(context+1)]
	symbol := uint32(1)
	if d.state >= 7 {
		// After a match, the byte that would have continued it says what this one is not.
		distance := int(d.reps[0]) + 1
		if distance > pos {
			return errCorrupt
		}
		match := uint32(d.out[len(d.out)-distance])
		for symbol < 0x100 {
			match <<= 1
			hint := match >> 8 & 1
			bit := d.bit(&probs[(1+hint)<<8+symbol])
			symbol = symbol<<1 | bit
			if hint != bit {
				break
			}
		}
	}
	for symbol < 0x100 {
		symbol = symbol<<1 | d.bit(&probs[symbol])
	}
	d.out = append(d.out, byte(symbol))
	switch {
	case d.state < 4:
		d.state = 0
	case d.state < 10:
		d.state -= 3
	default:
		d.state -= 6
	}
	return nil
}

// match decodes a match's length, and leaves its distance in reps[0].
func (d *decoder) match(posState int) (length int, err error) {
	afterLiteral := d.state < 7
	next := func(literal, other int) {
		d.state = other
		if afterLiteral {
			d.state = literal
		}
	}
	if d.bit(&d.isRep[d.state]) == 0 {
		length = d.length(&d.matchLength, posState)
		distance := d.distance(length)
		d.reps = [4]uint32{distance, d.reps[0], d.reps[1], d.reps[2]}
		if distance == 1<<32-1 {
			return 0, errCorrupt // The end mark, which LZMA2 does not have.
		}
		next(7, 10)
		return length, nil
	}
	if d.bit(&d.isRep1Up[d.state]) == 0 {
		if d.bit(&d.isLongRep[d.state][posState]) == 0 {
			next(9, 11)
			return 1, nil
		}
	} else {
		which := 1
		if d.bit(&d.isRep2Up[d.state]) == 1 {
			which = 2 + int(d.bit(&d.isRep3[d.state]))
		}
		distance := d.reps[which]
		copy(d.reps[1:which+1], d.reps[:which])
		d.reps[0] = distance
	}
	length = d.length(&d.repLength, posState)
	next(8, 11)
	return length, nil
}

func (d *decoder) length(l *lengths, posState int) int {
	if d.bit(&l.beyondLow) == 0 {
		return 2 + int(d.tree(l.low[posState][:]))
	}
	if d.bit(&l.beyondMid) == 0 {
		return 10 + int(d.tree(l.mid[posState][:]))
	}
	return 18 + int(d.tree(l.high[:]))
}

func (d *decoder) distance(length int) uint32 {
	slot := d.tree(d.slots[min(length-2, 3)][:])
	if slot < 4 {
		return slot
	}
	low := slot>>1 - 1 // The number of bits below the two that the slot gives.
	distance := (2 | slot&1) << low
	if slot < 14 {
		return distance + d.reverseTree(d.special[slot][:], low)
	}
	for shift := low; shift > 4; shift-- {
		distance += d.evenBit() << (shift - 1)
	}
	return distance + d.reverseTree(d.align[:], 4)
}

// tree decodes as many bits as it takes to index probs, the highest first.
func (d *decoder) tree(probs []probability) uint32 {
	symbol := uint32(1)
	for symbol < uint32(len(probs)) {
		symbol = symbol<<1 | d.bit(&probs[symbol])
	}
	return symbol - uint32(len(probs))
}

// reverseTree decodes count bits, the lowest first.
func (d *decoder) reverseTree(probs []probability, count uint32) uint32 {
	symbol, value := uint32(1), uint32(0)
	for i := range count {
		bit := d.bit(&probs[symbol])
		symbol = symbol<<1 | bit
		value |= bit << i
	}
	return value
}

func (d *decoder) bit(p *probability) uint32 {
	bound := d.width >> 11 * uint32(*p)
	if d.code < bound {
		d.width = bound
		*p += (1<<11 - *p) >> 5
		d.normalize()
		return 0
	}
	d.width -= bound
	d.code -= bound
	*p -= *p >> 5
	d.normalize()
	return 1
}

func (d *decoder) evenBit() uint32 {
	d.width >>= 1
	bit := uint32(0)
	if d.code >= d.width {
		d.code -= d.width
		bit = 1
	}
	d.normalize()
	return bit
}

func (d *decoder) normalize() {
	if d.width >= topValue {
		return
	}
	d.width <<= 8
	d.code <<= 8
	if len(d.packed) == 0 {
		d.overrun = true
		return
	}
	d.code |= uint32(d.packed[0])
	d.packed = d.packed[1:]
}
