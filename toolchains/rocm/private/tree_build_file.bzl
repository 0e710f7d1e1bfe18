"""The BUILD files of the repositories that hold the compiler."""

def _programs(toolchain, programs):
    return "".join(["""
rocm_program(
    name = {name},
    program = {program},
    toolchain = {toolchain},
)
""".format(name = repr(name), program = repr(program), toolchain = repr(toolchain)) for name, program in programs.items()])

_COMPILER_PROGRAMS = {
    "clang": "clang",
    "hipify-perl": "hipify",
    "lld": "lld",
}

_HEADER = """# Written by hiploom's module extension rocm; do not edit.
"""

def tree_build_file(name, layout, bitcode, libraries, library_path, loader, more_libraries, gcc, perl_library, inspect, toolchain_bzl):
    """Returns the BUILD file of a tree of packages."""
    return _HEADER + """
load({toolchain_bzl}, "rocm_program", "rocm_toolchain")

package(default_visibility = ["//visibility:public"])

exports_files({more_libraries})

filegroup(
    name = "headers",
    srcs = glob([
        {gcc} + "/crtbegin.o",
        {resource} + "/include/**",
        {prefix} + "/include/hip/**",
        {prefix} + "/share/hip/version",
        "usr/include/**",
    ]),
)

filegroup(
    name = "perl_library",
    srcs = glob([{perl_library} + "/**"]),
)

rocm_toolchain(
    name = "rocm",
    bitcode = {bitcode},
    bitcode_path = {bitcode_path},
    clang = {llvm} + "/bin/clang",
    clang_libraries = {clang_libraries},
    common_bitcode = {common_bitcode},
    gcc_install_path = {gcc},
    headers = [":headers"],
    hipify = {hipify},
    library_path = {library_path},
    lld = {llvm} + "/bin/lld",
    lld_libraries = {lld_libraries},
    llvm_major = {llvm_major},
    loader = {loader},
    object_version = {object_version},
    perl = "usr/bin/perl",
    perl_libraries = {perl_libraries},
    perl_library = [":perl_library"],
    perl_library_path = {perl_library},
    prefix_path = {prefix},
    resource_path = {resource},
    toolchain_name = {name},
)
{programs}{inspect}""".format(
        bitcode = repr({path: arch for arch, path in bitcode.archs.items()}),
        bitcode_path = repr(layout.bitcode),
        clang_libraries = repr(libraries["clang"]),
        common_bitcode = repr(bitcode.common),
        gcc = repr(gcc),
        hipify = repr(layout.hipify),
        inspect = "".join(["""
alias(
    name = "{program}",
    actual = "@{repository}//:{program}",
)
""".format(program = program, repository = inspect) for program in (["llvm-mc", "llvm-objdump", "llvm-readelf"] if inspect else [])]),
        library_path = repr(library_path),
        lld_libraries = repr(libraries["lld"]),
        llvm = repr(layout.llvm),
        llvm_major = layout.llvm_major,
        loader = repr(loader),
        more_libraries = repr(more_libraries),
        name = repr(name),
        object_version = bitcode.object_version,
        perl_libraries = repr(libraries["perl"]),
        perl_library = repr(perl_library),
        prefix = repr(layout.prefix),
        programs = _programs(":rocm", _COMPILER_PROGRAMS),
        resource = repr(layout.resource),
        toolchain_bzl = repr(toolchain_bzl),
    )

def inspect_build_file(folder, programs, libraries, own_libraries, library_path, loader, tree, toolchain_bzl):
    """Returns the BUILD file of the repository of LLVM's inspecting programs."""
    tree = str(tree).split("//")[0]
    return _HEADER + """
load({toolchain_bzl}, "rocm_inspect_toolchain", "rocm_program")

package(default_visibility = ["//visibility:public"])

rocm_inspect_toolchain(
    name = "inspect",
    libraries = {libraries},
    library_path = {library_path},
    loader = {loader},
    own_libraries = {own_libraries},
    programs = {programs},
)
{runs}""".format(
        libraries = repr([tree + "//:" + path for path in libraries]),
        library_path = repr(library_path),
        loader = repr(tree + "//:" + loader),
        own_libraries = repr(own_libraries),
        programs = repr({folder + "/" + program: program for program in programs}),
        runs = _programs(":inspect", {name: name for name in ["llvm-readelf" if program == "llvm-readobj" else program for program in programs]}),
        toolchain_bzl = repr(toolchain_bzl),
    )

def local_build_file(name, layout, bitcode, toolchain_bzl):
    """Returns the BUILD file of an installed ROCm."""
    return _HEADER + """
load({toolchain_bzl}, "rocm_program", "rocm_toolchain")

package(default_visibility = ["//visibility:public"])

filegroup(
    name = "headers",
    srcs = glob([
        {resource} + "/include/**",
        {include} + "hip/**",
        {share} + "hip/version",
    ]),
)

filegroup(
    name = "libraries",
    srcs = glob(
        [{llvm} + "/lib/*.so*"],
        allow_empty = True,
    ),
)

rocm_toolchain(
    name = "rocm",
    bitcode = {bitcode},
    bitcode_path = {bitcode_path},
    clang = {llvm} + "/bin/clang",
    clang_libraries = [":libraries"],
    common_bitcode = {common_bitcode},
    headers = [":headers"],
    hipify = {hipify},
    lld = {llvm} + "/bin/lld",
    lld_libraries = [":libraries"],
    llvm_major = {llvm_major},
    object_version = {object_version},
    prefix_path = {prefix},
    resource_path = {resource},
    toolchain_name = {name},
)
{programs}""".format(
        bitcode = repr({path: arch for arch, path in bitcode.archs.items()}),
        bitcode_path = repr(layout.bitcode),
        common_bitcode = repr(bitcode.common),
        hipify = repr(layout.hipify),
        include = repr((layout.prefix + "/" if layout.prefix else "") + "include/"),
        share = repr((layout.prefix + "/" if layout.prefix else "") + "share/"),
        llvm = repr(layout.llvm),
        llvm_major = layout.llvm_major,
        name = repr(name),
        object_version = bitcode.object_version,
        prefix = repr(layout.prefix),
        programs = _programs(":rocm", _COMPILER_PROGRAMS),
        resource = repr(layout.resource),
        toolchain_bzl = repr(toolchain_bzl),
    )

def toolchains_build_file(tree, inspect, toolchain_type, inspect_toolchain_type):
    """Returns the BUILD file of the repository that declares toolchains, apart from what they consist of."""
    return _HEADER + "".join(["""
toolchain(
    name = {name},
    exec_compatible_with = [
        "@platforms//cpu:x86_64",
        "@platforms//os:linux",
    ],
    toolchain = {toolchain},
    toolchain_type = {toolchain_type},
)
""".format(name = repr(name), toolchain = repr(toolchain), toolchain_type = repr(type)) for name, toolchain, type in [
        ("rocm", "@{}//:rocm".format(tree), toolchain_type),
    ] + ([
        ("inspect", "@{}//:inspect".format(inspect), inspect_toolchain_type),
    ] if inspect else [])])
