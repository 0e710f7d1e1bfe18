"""Finds the parts of a ROCm compiler in a directory: a tree of Debian's packages, of AMD's, or an installed ROCm."""

def _folders(path):
    return [entry for entry in path.readdir(watch = "no") if entry.is_dir] if path.exists and path.is_dir else []

def _expand(root, pattern):
    """Returns the existing paths that match a pattern, in which a last "*" of an element stands for anything."""
    found = [root]
    for element in pattern.split("/"):
        matches = []
        for path in found:
            if element.endswith("*"):
                matches += [entry for entry in _folders(path) if entry.basename.startswith(element[:-1])]
            elif path.get_child(element).exists:
                matches.append(path.get_child(element))
        found = matches
    return sorted(found, key = str)

def find_first(root, patterns):
    """Searches a directory for one of several places.

    Args:
      root: the path to search below.
      patterns: a list of relative paths; a "*" at an element's end stands for anything.
    Returns:
      The last match, which is the newest version, of the first pattern that has one; else None.
    """
    for pattern in patterns:
        found = _expand(root, pattern)
        if found:
            return found[-1]
    return None

def relative(path, root):
    """Returns a path as a string, as seen from a directory that it is in."""
    return str(path)[len(str(root)) + 1:]

# Debian's layout, that of AMD's packages, and those of an installed ROCm, where root is the /opt/rocm of the day.
_LLVM = ["usr/lib/llvm-*", "opt/rocm*/lib/llvm", "opt/rocm*/llvm", "lib/llvm", "llvm"]
_PREFIX = ["usr", "opt/rocm*", "."]
_BITCODE = [
    "usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode",
    "opt/rocm*/lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
    "opt/rocm*/lib/llvm/amdgcn/bitcode",
    "opt/rocm*/amdgcn/bitcode",
    "lib/llvm/lib/clang/*/lib/amdgcn/bitcode",
    "lib/llvm/lib/clang/*/amdgcn/bitcode",
    "lib/llvm/amdgcn/bitcode",
    "amdgcn/bitcode",
]
_HIPIFY = ["usr/bin/hipify-perl", "opt/rocm*/bin/hipify-perl", "opt/rocm*/libexec/hipify/hipify-perl", "bin/hipify-perl", "libexec/hipify/hipify-perl"]

def find_layout(root):
    """Finds the parts of a compiler.

    Args:
      root: the path of the directory.
    Returns:
      A struct of paths as strings relative to root: llvm (with bin/ and lib/), resource (clang's own headers), bitcode,
      prefix (with include/hip), hipify; llvm_major, an int; and missing, a list of what was not found, for a message.
    """
    llvm = None
    for pattern in _LLVM:
        candidates = [path for path in _expand(root, pattern) if path.get_child("bin/clang").exists]
        llvm = candidates[-1] if candidates else None
        if llvm:
            break
    resource = find_first(llvm, ["lib/clang/*"]) if llvm else None
    bitcode = find_first(root, _BITCODE)
    hip = find_first(root, [prefix + "/include/hip/hip_runtime.h" if prefix != "." else "include/hip/hip_runtime.h" for prefix in _PREFIX])
    hipify = find_first(root, _HIPIFY)
    missing = []
    for part, what in [
        (llvm, "clang"),
        (llvm and llvm.get_child("bin/lld").exists, "lld"),
        (resource, "clang's headers"),
        (bitcode, "the device libraries (ocml.bc)"),
        (hip, "HIP's headers (hip/hip_runtime.h)"),
        (hipify, "hipify-perl"),
    ]:
        if not part:
            missing.append(what)
    if missing:
        return struct(missing = missing)
    return struct(
        bitcode = relative(bitcode, root),
        hipify = relative(hipify, root),
        llvm = relative(llvm, root),
        llvm_major = int(resource.basename.split(".")[0]),
        missing = [],
        prefix = relative(hip.dirname.dirname.dirname, root),
        resource = relative(resource, root),
    )

# What a compile of HIP code reads of the device libraries, besides the file of its architecture. Clang never links
# opencl.bc into HIP code, but believes that there are no device libraries where it is absent.
_COMMON_BITCODE = [
    "hip",
    "ockl",
    "oclc_abi_version_400",
    "oclc_abi_version_500",
    "oclc_abi_version_600",
    "oclc_correctly_rounded_sqrt_off",
    "oclc_correctly_rounded_sqrt_on",
    "oclc_daz_opt_off",
    "oclc_daz_opt_on",
    "oclc_finite_only_off",
    "oclc_finite_only_on",
    "oclc_unsafe_math_off",
    "oclc_unsafe_math_on",
    "oclc_wavefrontsize64_off",
    "oclc_wavefrontsize64_on",
    "ocml",
    "opencl",
]

def bitcode_files(root, layout, archs):
    """Finds the device libraries.

    Args:
      root: the path of the directory that layout describes.
      layout: what find_layout returned.
      archs: the table of architectures.
    Returns:
      A struct with `common`, a list of labels' names; `archs`, a dict from an architecture's name to the one that it needs
      besides; and `object_version`, the newest version of code objects that there is a library for.
    """
    folder = root.get_child(layout.bitcode)
    common = [layout.bitcode + "/" + name + ".bc" for name in _COMMON_BITCODE if folder.get_child(name + ".bc").exists]
    known = {}
    for arch in archs:
        name = "oclc_isa_version_" + arch.name.removeprefix("gfx") + ".bc"
        if folder.get_child(name).exists:
            known[arch.name] = layout.bitcode + "/" + name
    return struct(
        archs = known,
        common = common,
        object_version = 6 if folder.get_child("oclc_abi_version_600.bc").exists else 5,
    )
