package codeobject

import (
	"fmt"
	"slices"

	"github.com/hiploom/hiploom/codeobject/internal/msgpack"
)

// metadata is the contents of the metadata note, a MessagePack map.
type metadata struct {
	target  string
	version [2]uint32
	kernels []Kernel
}

func readMetadata(note string) (*metadata, error) {
	r := msgpack.NewReader(note)
	m := new(metadata)
	if err := readMap(r, m, metadataFields); err != nil {
		return nil, err
	}
	if r.Len() > 0 {
		return nil, fmt.Errorf("%d bytes follow the end", r.Len())
	}
	return m, nil
}

// field says how to read the value that a map has under a key.
type field[T any] struct {
	key      string
	required bool
	read     func(*msgpack.Reader, *T) error
}

const (
	required = true
	optional = false
)

var metadataFields = []field[metadata]{
	text("amdhsa.target", required, func(m *metadata) *string { return &m.target }),
	{"amdhsa.version", required, func(r *msgpack.Reader, m *metadata) error { return readNumbers(r, m.version[:]) }},
	{"amdhsa.kernels", required, func(r *msgpack.Reader, m *metadata) (err error) {
		m.kernels, err = readArray(r, kernelFields)
		return err
	}},
}

var kernelFields = []field[Kernel]{
	text(".name", required, func(k *Kernel) *string { return &k.Name }),
	text(".symbol", required, func(k *Kernel) *string { return &k.DescriptorSymbol }),
	text(".kind", optional, func(k *Kernel) *string { return &k.Kind }),
	{".args", optional, func(r *msgpack.Reader, k *Kernel) (err error) { k.Args, err = readArray(r, argFields); return err }},
	number(".kernarg_segment_size", required, func(k *Kernel) *uint32 { return &k.KernargSize }),
	number(".kernarg_segment_align", required, func(k *Kernel) *uint32 { return &k.KernargAlign }),
	number(".group_segment_fixed_size", required, func(k *Kernel) *uint32 { return &k.GroupSegmentFixedSize }),
	number(".private_segment_fixed_size", required, func(k *Kernel) *uint32 { return &k.PrivateSegmentFixedSize }),
	number(".wavefront_size", required, func(k *Kernel) *uint32 { return &k.WavefrontSize }),
	number(".sgpr_count", required, func(k *Kernel) *uint32 { return &k.SGPRCount }),
	number(".vgpr_count", required, func(k *Kernel) *uint32 { return &k.VGPRCount }),
	number(".agpr_count", optional, func(k *Kernel) *uint32 { return &k.AGPRCount }),
	number(".sgpr_spill_count", optional, func(k *Kernel) *uint32 { return &k.SGPRSpillCount }),
	number(".vgpr_spill_count", optional, func(k *Kernel) *uint32 { return &k.VGPRSpillCount }),
	number(".max_flat_workgroup_size", required, func(k *Kernel) *uint32 { return &k.MaxFlatWorkgroupSize }),
	{".reqd_workgroup_size", optional, func(r *msgpack.Reader, k *Kernel) error { return readNumbers(r, k.ReqdWorkgroupSize[:]) }},
	flag(".uses_dynamic_stack", func(k *Kernel) *bool { return &k.UsesDynamicStack }),
	flag(".workgroup_processor_mode", func(k *Kernel) *bool { return &k.WorkgroupProcessorMode }),
}

var argFields = []field[Arg]{
	text(".name", optional, func(a *Arg) *string { return &a.Name }),
	text(".type_name", optional, func(a *Arg) *string { return &a.TypeName }),
	number(".offset", required, func(a *Arg) *uint32 { return &a.Offset }),
	number(".size", required, func(a *Arg) *uint32 { return &a.Size }),
	{".value_kind", required, func(r *msgpack.Reader, a *Arg) error {
		kind, err := r.String()
		a.Kind = ValueKind(kind)
		return err
	}},
	text(".address_space", optional, func(a *Arg) *string { return &a.AddressSpace }),
	text(".access", optional, func(a *Arg) *string { return &a.Access }),
	text(".actual_access", optional, func(a *Arg) *string { return &a.ActualAccess }),
	number(".pointee_align", optional, func(a *Arg) *uint32 { return &a.PointeeAlign }),
	flag(".is_const", func(a *Arg) *bool { return &a.Const }),
	flag(".is_restrict", func(a *Arg) *bool { return &a.Restrict }),
	flag(".is_volatile", func(a *Arg) *bool { return &a.Volatile }),
	flag(".is_pipe", func(a *Arg) *bool { return &a.Pipe }),
}

func text[T any](key string, required bool, at func(*T) *string) field[T] {
	return field[T]{key, required, func(r *msgpack.Reader, t *T) (err error) { *at(t), err = r.String(); return err }}
}

func number[T any](key string, required bool, at func(*T) *uint32) field[T] {
	return field[T]{key, required, func(r *msgpack.Reader, t *T) (err error) { *at(t), err = r.Uint32(); return err }}
}

func flag[T any](key string, at func(*T) *bool) field[T] {
	return field[T]{key, optional, func(r *msgpack.Reader, t *T) (err error) { *at(t), err = r.Bool(); return err }}
}

// readMap reads a map into a struct, and skips the keys that no field is for.
func readMap[T any](r *msgpack.Reader, into *T, fields []field[T]) error {
	n, err := r.Map()
	if err != nil {
		return err
	}
	seen := uint32(0)
	for range n {
		key, err := r.String()
		if err != nil {
			return fmt.Errorf("a key: %w", err)
		}
		i := slices.IndexFunc(fields, func(f field[T]) bool { return f.key == key })
		if i < 0 {
			if err := r.Skip(); err != nil {
				return fmt.Errorf("%q: %w", key, err)
			}
			continue
		}
		if seen>>i&1 != 0 {
			return fmt.Errorf("%s is given twice", key)
		}
		seen |= 1 << i
		if err := fields[i].read(r, into); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	for i, f := range fields {
		if f.required && seen>>i&1 == 0 {
			return fmt.Errorf("%s is missing", f.key)
		}
	}
	return nil
}

// readArray reads an array of maps. An element takes more memory than the byte that announcing it takes: room is made for
// as many as can be in what is left of the input.
func readArray[T any](r *msgpack.Reader, fields []field[T]) ([]T, error) {
	n, err := r.Array()
	if err != nil {
		return nil, err
	}
	all := make([]T, 0, min(n, r.Len()/leastSize(fields)))
	for i := range n {
		all = append(all, *new(T))
		if err := readMap(r, &all[i], fields); err != nil {
			return nil, fmt.Errorf("element %d%s: %w", i, nameOf(all[i]), err)
		}
	}
	return all, nil
}

// leastSize returns how many bytes a map takes at least that has all required fields.
func leastSize[T any](fields []field[T]) int {
	size := 1
	for _, f := range fields {
		if f.required {
			size += 1 + len(f.key) + 1
		}
	}
	return size
}

// nameOf says in an error message which element it is, if it got as far as its name.
func nameOf(element any) string {
	if k, ok := element.(Kernel); ok && k.Name != "" {
		return fmt.Sprintf(" (%q)", k.Name)
	}
	return ""
}

func readNumbers(r *msgpack.Reader, into []uint32) error {
	n, err := r.Array()
	if err != nil {
		return err
	}
	if n != len(into) {
		return fmt.Errorf("%d numbers, %d expected", n, len(into))
	}
	for i := range into {
		if into[i], err = r.Uint32(); err != nil {
			return err
		}
	}
	return nil
}
