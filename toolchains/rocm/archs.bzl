"""The table of AMD GPU architectures: the one home of these facts, from which everything else is generated.

Which generic target covers which processor, which features each has and the ELF machine number (EF_AMDGPU_MACH) are
those of LLVM's "User Guide for AMDGPU Backend", release 20.1.
"""

def _arch(name, mach, wave_size, family, generic = "", features = []):
    return struct(
        name = name,
        mach = mach,
        generic = generic,
        is_generic = name.endswith("-generic"),
        wave_size = wave_size,
        family = family,
        features = features,
    )

# Fields: name; mach, its number in e_flags of a code object; generic, the generic target whose code it runs, or "";
# is_generic; wave_size, the lanes of a wave as code is compiled by default; family: gcn, cdna or rdna; features, those
# that a target ID may set ("gfx90a:sramecc+:xnack-"), in the order in which a target ID lists them.
ARCHS = [
    _arch("gfx900", 0x2c, 64, "gcn", "gfx9-generic", ["xnack"]),
    _arch("gfx906", 0x2f, 64, "gcn", "gfx9-generic", ["sramecc", "xnack"]),
    _arch("gfx908", 0x30, 64, "cdna", features = ["sramecc", "xnack"]),
    _arch("gfx90a", 0x3f, 64, "cdna", features = ["sramecc", "xnack"]),
    _arch("gfx942", 0x4c, 64, "cdna", "gfx9-4-generic", ["sramecc", "xnack"]),
    _arch("gfx950", 0x4f, 64, "cdna", "gfx9-4-generic", ["sramecc", "xnack"]),
    _arch("gfx1010", 0x33, 32, "rdna", "gfx10-1-generic", ["xnack"]),
    _arch("gfx1012", 0x35, 32, "rdna", "gfx10-1-generic", ["xnack"]),
    _arch("gfx1030", 0x36, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1031", 0x37, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1032", 0x38, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1033", 0x39, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1034", 0x3e, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1035", 0x3d, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1036", 0x45, 32, "rdna", "gfx10-3-generic"),
    _arch("gfx1100", 0x41, 32, "rdna", "gfx11-generic"),
    _arch("gfx1101", 0x46, 32, "rdna", "gfx11-generic"),
    _arch("gfx1102", 0x47, 32, "rdna", "gfx11-generic"),
    _arch("gfx1103", 0x44, 32, "rdna", "gfx11-generic"),
    _arch("gfx1150", 0x43, 32, "rdna", "gfx11-generic"),
    _arch("gfx1151", 0x4a, 32, "rdna", "gfx11-generic"),
    _arch("gfx1152", 0x55, 32, "rdna", "gfx11-generic"),
    _arch("gfx1153", 0x58, 32, "rdna", "gfx11-generic"),
    _arch("gfx1200", 0x48, 32, "rdna", "gfx12-generic"),
    _arch("gfx1201", 0x4e, 32, "rdna", "gfx12-generic"),
    _arch("gfx9-generic", 0x51, 64, "gcn", features = ["xnack"]),
    _arch("gfx9-4-generic", 0x5f, 64, "cdna", features = ["sramecc", "xnack"]),
    _arch("gfx10-1-generic", 0x52, 32, "rdna", features = ["xnack"]),
    _arch("gfx10-3-generic", 0x53, 32, "rdna"),
    _arch("gfx11-generic", 0x54, 32, "rdna"),
    _arch("gfx12-generic", 0x59, 32, "rdna"),
]

# Architectures that the compiler of a committed lock does not know, by the toolchain's name: their device libraries are
# older than these.
UNKNOWN_TO = {
    "rocm": [],
    "rocm_trixie": [
        "gfx950",
        "gfx1152",
        "gfx1153",
        "gfx1200",
        "gfx1201",
        "gfx9-generic",
        "gfx9-4-generic",
        "gfx10-1-generic",
        "gfx10-3-generic",
        "gfx11-generic",
        "gfx12-generic",
    ],
}
