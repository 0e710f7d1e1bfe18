// Code generated from toolchains/rocm/archs.bzl; DO NOT EDIT.
// To bring it up to date: ./bazelw run //codeobject:arch_table.update

package codeobject

var archs = []archInfo{
	{name: "gfx900", mach: 0x2c, generic: "gfx9-generic", waveSize: 64, family: "gcn", sramecc: false, xnack: true},
	{name: "gfx906", mach: 0x2f, generic: "gfx9-generic", waveSize: 64, family: "gcn", sramecc: true, xnack: true},
	{name: "gfx908", mach: 0x30, generic: "", waveSize: 64, family: "cdna", sramecc: true, xnack: true},
	{name: "gfx90a", mach: 0x3f, generic: "", waveSize: 64, family: "cdna", sramecc: true, xnack: true},
	{name: "gfx942", mach: 0x4c, generic: "gfx9-4-generic", waveSize: 64, family: "cdna", sramecc: true, xnack: true},
	{name: "gfx950", mach: 0x4f, generic: "gfx9-4-generic", waveSize: 64, family: "cdna", sramecc: true, xnack: true},
	{name: "gfx1010", mach: 0x33, generic: "gfx10-1-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: true},
	{name: "gfx1012", mach: 0x35, generic: "gfx10-1-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: true},
	{name: "gfx1030", mach: 0x36, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1031", mach: 0x37, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1032", mach: 0x38, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1033", mach: 0x39, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1034", mach: 0x3e, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1035", mach: 0x3d, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1036", mach: 0x45, generic: "gfx10-3-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1100", mach: 0x41, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1101", mach: 0x46, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1102", mach: 0x47, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1103", mach: 0x44, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1150", mach: 0x43, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1151", mach: 0x4a, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1152", mach: 0x55, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1153", mach: 0x58, generic: "gfx11-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1200", mach: 0x48, generic: "gfx12-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx1201", mach: 0x4e, generic: "gfx12-generic", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx9-generic", mach: 0x51, generic: "", waveSize: 64, family: "gcn", sramecc: false, xnack: true},
	{name: "gfx9-4-generic", mach: 0x5f, generic: "", waveSize: 64, family: "cdna", sramecc: true, xnack: true},
	{name: "gfx10-1-generic", mach: 0x52, generic: "", waveSize: 32, family: "rdna", sramecc: false, xnack: true},
	{name: "gfx10-3-generic", mach: 0x53, generic: "", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx11-generic", mach: 0x54, generic: "", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
	{name: "gfx12-generic", mach: 0x59, generic: "", waveSize: 32, family: "rdna", sramecc: false, xnack: false},
}
