"""Assembles the packages of a lock into one directory from which the compiler runs on any x86-64 Linux."""

load("//toolchains/rocm:archs.bzl", "ARCHS")
load(":layout.bzl", "bitcode_files", "find_first", "find_layout", "relative")
load(":tree_build_file.bzl", "inspect_build_file", "tree_build_file")

# Debian's directory of libraries for x86-64, in which the loader is too.
_LIBRARIES = "usr/lib/x86_64-linux-gnu"
_LOADER = _LIBRARIES + "/ld-linux-x86-64.so.2"

# Libraries of the C library's package that no compiler needs, but what inspects code may.
_MORE_LIBC = ["libdl.so.2", "libpthread.so.0", "libresolv.so.2", "librt.so.1"]

# Of the kernel's headers, those that the C library's own include.
_KERNEL_HEADERS = ["close_range.h", "errno.h", "falloc.h", "limits.h", "openat2.h", "param.h", "posix_types.h", "rseq.h", "sched", "stat.h", "stddef.h", "types.h", "version.h"]

# Headers of clang for other processors' instructions, which no GPU code includes.
_FOREIGN_HEADERS = ["intrin.h", "wrappers", "vector.h", "neon.h", "_sve.h", "_sme.h", "_mve.h", "_cde.h", "_bridge.h", "_types.h", "_protos.h"]

def _unpack(rctx, packages):
    for label in packages:
        rctx.report_progress("unpacking " + label.repo_name)
        rctx.extract(rctx.path(label), output = "unpacked")
        members = [entry for entry in rctx.path("unpacked").readdir(watch = "no") if entry.basename.startswith("data.tar")]
        if len(members) != 1:
            fail("{} is not a Debian package: it has no data.tar".format(label))
        rctx.extract(members[0], output = ".")
        rctx.delete("unpacked")

def _closure(rctx, program, library_paths, root):
    """Asks the tree's own loader which libraries a program needs, and insists that all are in the tree."""
    loader = root.get_child(_LOADER)
    result = rctx.execute([
        loader,
        "--inhibit-cache",
        "--library-path",
        ":".join([str(path) for path in library_paths]),
        "--list",
        rctx.path(program),
    ], environment = {"LC_ALL": "C", "LD_LIBRARY_PATH": ""})
    libraries = []
    outside = []
    for line in result.stdout.split("\n"):
        name, arrow, rest = line.strip().partition(" => ")
        if not arrow or name.endswith("ld-linux-x86-64.so.2"):
            continue
        path = rest.split(" (")[0]
        inside = [library_path for library_path in library_paths if path.startswith(str(library_path) + "/")]
        if inside:
            libraries.append(path)
        else:
            outside.append("{} => {}".format(name, path))
    if result.return_code != 0 or outside or not libraries:
        fail("\n".join([
            "{} of the toolchain needs libraries that its lock does not bring:".format(program),
        ] + ["  " + line for line in outside] + [
            result.stderr.strip(),
            "Add the packages that hold them to the lock, with the role hostlibs. A tree can be assembled on x86-64 Linux only.",
        ]))
    return libraries

def _prune(rctx, keep):
    """Deletes everything that is not kept.

    keep: a dict from a directory, relative to the root, to None to keep all of it, or to a function that says of an entry's
    name whether it stays.
    """
    ancestors = {"": True}
    for folder in keep:
        parts = folder.split("/")
        for i in range(1, len(parts)):
            ancestors["/".join(parts[:i])] = True
    root = rctx.path(".")
    queue = [""]
    for _ in range(10000):
        if not queue:
            break
        folder = queue.pop()
        path = root.get_child(folder) if folder else root
        for entry in path.readdir(watch = "no"):
            name = folder + "/" + entry.basename if folder else entry.basename
            if name in keep and keep[name] == None:
                continue
            if name in keep or name in ancestors:
                queue.append(name)
            elif not (folder in keep and keep[folder](entry)):
                rctx.delete(entry)

def _rocm_tree_impl(rctx):
    _unpack(rctx, rctx.attr.packages)
    root = rctx.path(".")
    layout = find_layout(root)
    if layout.missing:
        fail("the packages of the lock {} hold no complete compiler; missing: {}.".format(rctx.attr.lock, ", ".join(layout.missing)))

    gcc = find_first(root, ["usr/lib/gcc/x86_64-linux-gnu/*"])
    if not gcc:
        fail("the packages of the lock {} hold no C++ standard library; add libstdc++-*-dev and libgcc-*-dev with the role headers.".format(rctx.attr.lock))
    gcc = relative(gcc, root)
    library_paths = [root.get_child(_LIBRARIES)]
    own_libraries = root.get_child(layout.llvm).get_child("lib")
    programs = {
        "clang": layout.llvm + "/bin/clang",
        "lld": layout.llvm + "/bin/lld",
        "perl": "usr/bin/perl",
    }
    libraries = {
        name: sorted([relative(path, root) for path in _closure(rctx, program, library_paths + [own_libraries], root)])
        for name, program in programs.items()
    }
    needed = {path: True for paths in libraries.values() for path in paths}
    needed[_LOADER] = True

    # Parts of the C library that other programs of this release of it may want.
    more_libraries = [_LIBRARIES + "/" + name for name in _MORE_LIBC if root.get_child(_LIBRARIES).get_child(name).exists]
    needed.update({path: True for path in more_libraries})

    # A library's name is often a link to the file with its full version.
    for path in needed.keys():
        real = root.get_child(path).realpath
        needed[relative(real, root)] = True
    perl_library = _LIBRARIES + "/perl-base"
    bitcode = bitcode_files(root, layout, ARCHS)
    needed.update({path: True for path in bitcode.common + bitcode.archs.values()})

    def keep_needed(entry):
        return relative(entry, root) in needed

    def keep_files(entry):
        return not entry.is_dir

    def keep_device_headers(entry):
        name = entry.basename
        if name.startswith("__") or name in ["amdgpuintrin.h", "gpuintrin.h", "cuda_wrappers", "llvm_offload_wrappers"]:
            return True
        return not [end for end in _FOREIGN_HEADERS if name.endswith(end)]

    _prune(rctx, {
        layout.hipify.removesuffix("/hipify-perl"): lambda entry: entry.basename == "hipify-perl",
        layout.prefix + "/include/hip": None,
        # Clang reads HIP's version from here, and without it leaves out the device's mathematics.
        layout.prefix + "/share/hip": lambda entry: entry.basename == "version",
    } | {
        layout.bitcode: keep_needed,
        layout.llvm + "/bin": lambda entry: entry.basename in ["clang", "lld"],
        layout.llvm + "/lib": keep_needed,
        layout.resource + "/include": keep_device_headers,
        layout.resource + "/include/cuda_wrappers": None,
        layout.resource + "/include/llvm_offload_wrappers": None,
        _LIBRARIES: keep_needed,
        perl_library: None,
        gcc: lambda entry: entry.basename == "crtbegin.o",
        "usr/bin": lambda entry: entry.basename in ["perl", "hipify-perl"],
        "usr/include": keep_files,
        "usr/include/asm-generic": None,
        "usr/include/c++": None,
        "usr/lib/linux/uapi/x86": None,
        "usr/include/linux": lambda entry: entry.basename in _KERNEL_HEADERS,
        "usr/include/x86_64-linux-gnu": keep_files,
        "usr/include/x86_64-linux-gnu/asm": None,
        "usr/include/x86_64-linux-gnu/bits": None,
        "usr/include/x86_64-linux-gnu/c++": None,
        "usr/include/x86_64-linux-gnu/gnu": None,
        "usr/include/x86_64-linux-gnu/sys": None,
    })
    rctx.file("BUILD.bazel", tree_build_file(
        bitcode = bitcode,
        gcc = gcc,
        layout = layout,
        libraries = libraries,
        library_path = _LIBRARIES,
        loader = _LOADER,
        more_libraries = more_libraries,
        name = rctx.attr.toolchain,
        perl_library = perl_library,
        inspect = rctx.attr.inspect,
        toolchain_bzl = str(Label("//toolchains/rocm:toolchain.bzl")),
    ), executable = False)

rocm_tree = repository_rule(
    implementation = _rocm_tree_impl,
    doc = "A repository with the compiler, its headers and device libraries, the C library that it runs on, and its toolchain.",
    attrs = {
        "inspect": attr.string(doc = "The repository of the tools that inspect code, or empty.", mandatory = True),
        "lock": attr.string(doc = "The lock that the packages are of, for messages.", mandatory = True),
        # Labels in an attribute are fetched together, in parallel, before the implementation starts.
        "packages": attr.label_list(doc = "The packages, packed.", mandatory = True),
        "toolchain": attr.string(doc = "The toolchain's name, for messages.", mandatory = True),
    },
)

def _rocm_inspect_impl(rctx):
    _unpack(rctx, rctx.attr.packages)
    root = rctx.path(".")

    # The root of the tree whose libraries these programs share.
    tree = rctx.path(rctx.attr.tree).dirname
    llvm = find_first(root, ["usr/lib/llvm-*", "opt/rocm*/lib/llvm"])
    if not llvm:
        fail("the packages with the role inspect of the lock {} hold no LLVM.".format(rctx.attr.lock))
    folder = relative(llvm, root) + "/bin"
    programs = [name for name in ["llvm-mc", "llvm-objdump", "llvm-readobj"] if root.get_child(folder).get_child(name).exists]
    library_paths = [tree.get_child(_LIBRARIES), root.get_child(_LIBRARIES)]
    libraries = {}
    for program in programs:
        for path in _closure(rctx, folder + "/" + program, library_paths, tree):
            libraries[path] = True
    own = {path: True for path in libraries if path.startswith(str(root) + "/")}
    own.update({str(rctx.path(path).realpath): True for path in own})
    _prune(rctx, {
        folder: lambda entry: entry.basename in programs,
        _LIBRARIES: lambda entry: str(entry) in own,
    })
    rctx.file("BUILD.bazel", inspect_build_file(
        folder = folder,
        libraries = sorted([relative(rctx.path(path), tree) for path in libraries if path not in own]),
        own_libraries = sorted([relative(rctx.path(path), root) for path in own]),
        library_path = _LIBRARIES,
        loader = _LOADER,
        programs = programs,
        tree = rctx.attr.tree,
        toolchain_bzl = str(Label("//toolchains/rocm:toolchain.bzl")),
    ), executable = False)

rocm_inspect = repository_rule(
    implementation = _rocm_inspect_impl,
    doc = "A repository with LLVM's programs that inspect and assemble code. Apart, so that compiling does not fetch it.",
    attrs = {
        "lock": attr.string(doc = "The lock that the packages are of, for messages.", mandatory = True),
        "packages": attr.label_list(doc = "The packages, packed.", mandatory = True),
        "tree": attr.label(doc = "The BUILD file of the tree.", mandatory = True),
    },
)
