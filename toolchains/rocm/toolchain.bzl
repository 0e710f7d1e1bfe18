"""The ROCm toolchain's rules, used by the BUILD files that the module extension writes."""

load(":archs.bzl", "ARCHS")
load(":providers.bzl", "RocmArchInfo", "RocmInspectInfo", "RocmToolInfo", "RocmToolchainInfo")

TOOLCHAIN_TYPE = Label("//toolchains/rocm:toolchain_type")
INSPECT_TOOLCHAIN_TYPE = Label("//toolchains/rocm:inspect_toolchain_type")

_ROOT = "%ROOT%"

def _root(file, label):
    """Returns the directory, relative to the execution root, that a file's label is relative to."""
    return file.path.removesuffix("/" + label.name)

def _tool(executable, templates, root, files, env = {}):
    return RocmToolInfo(
        arguments = [template.replace(_ROOT, root) for template in templates],
        env = {name: value.replace(_ROOT, root) for name, value in env.items()},
        executable = executable,
        files = depset([executable] + files),
    )

def _below(path):
    return _ROOT + "/" + path if path else _ROOT

def _loaded(loader, library_paths, program, name):
    """Returns the arguments that make the tree's own loader start a program with the tree's libraries only."""
    return [
        "--inhibit-cache",
        "--library-path",
        ":".join(library_paths),
        "--argv0",
        name,
        program,
    ] if loader else []

def _rocm_toolchain_impl(ctx):
    attr = ctx.attr
    loader = ctx.file.loader
    clang = ctx.file.clang
    root = _root(clang, attr.clang.label)
    library_paths = [_below(attr.library_path)]

    # Clang cannot find its own parts: /proc/self/exe is the loader's.
    compile_templates = _loaded(loader, library_paths, _below(attr.clang.label.name), "clang") + [
        "-no-canonical-prefixes",
        "-resource-dir",
        _below(attr.resource_path),
        "--rocm-path=" + _below(attr.prefix_path),
        "--rocm-device-lib-path=" + _below(attr.bitcode_path),
    ]
    if attr.gcc_install_path:
        compile_templates += [
            "--sysroot=" + _ROOT,
            "--gcc-install-dir=" + _below(attr.gcc_install_path),
        ]
    link_templates = _loaded(loader, library_paths, _below(attr.lld.label.name), "lld") + ["-flavor", "gnu", "-m", "elf64_amdgpu"]
    hipify_templates = []
    hipify_files = []
    if loader:
        hipify_templates = _loaded(loader, library_paths, _below(attr.perl.label.name), "perl") + [_below(attr.hipify.label.name)]
        hipify_files = [ctx.file.hipify, ctx.file.perl] + ctx.files.perl_libraries + ctx.files.perl_library

    wave_sizes = {arch.name: arch.wave_size for arch in ARCHS}
    archs = {}
    for target, arch in attr.bitcode.items():
        arguments = []

        # Clang 22 dropped this macro, which HIP's headers before 7 need.
        if attr.llvm_major >= 22:
            arguments.append("-D__AMDGCN_WAVEFRONT_SIZE={}".format(wave_sizes[arch]))
        if attr.object_version < 6:
            arguments.append("-mcode-object-version={}".format(attr.object_version))
        archs[arch] = RocmArchInfo(
            compile_arguments = arguments,
            compile_files = target[DefaultInfo].files,
        )
    info = RocmToolchainInfo(
        archs = archs,
        compile = _tool(loader or clang, compile_templates, root, [clang] + ctx.files.clang_libraries),
        compile_files = depset(ctx.files.headers + ctx.files.common_bitcode),
        hipify = _tool(
            loader or ctx.file.hipify,
            hipify_templates,
            root,
            hipify_files,
            env = {"PERL5LIB": _below(attr.perl_library_path)} if loader else {},
        ),
        link = _tool(loader or ctx.file.lld, link_templates, root, [ctx.file.lld] + ctx.files.lld_libraries),
        llvm_major = attr.llvm_major,
        name = attr.toolchain_name,
    )
    return [platform_common.ToolchainInfo(rocm = info), info]

rocm_toolchain = rule(
    implementation = _rocm_toolchain_impl,
    doc = "A compiler from HIP to AMD GPU code.",
    attrs = {
        "bitcode": attr.label_keyed_string_dict(doc = "Device libraries of one architecture each, with its name.", allow_files = True),
        "bitcode_path": attr.string(doc = "The directory of the device libraries."),
        "clang": attr.label(doc = "The compiler.", allow_single_file = True, mandatory = True),
        "clang_libraries": attr.label_list(doc = "The libraries that clang runs with.", allow_files = True),
        "common_bitcode": attr.label_list(doc = "Device libraries for all architectures.", allow_files = True),
        "gcc_install_path": attr.string(doc = "GCC's directory, from which clang finds the C++ standard library; empty for the system's."),
        "headers": attr.label_list(doc = "The headers that kernels may include.", allow_files = True),
        "hipify": attr.label(doc = "The script hipify-perl.", allow_single_file = True, mandatory = True),
        "library_path": attr.string(doc = "The directory of the libraries."),
        "lld": attr.label(doc = "The linker.", allow_single_file = True, mandatory = True),
        "lld_libraries": attr.label_list(doc = "The libraries that lld runs with.", allow_files = True),
        "llvm_major": attr.int(doc = "The major version of clang.", mandatory = True),
        "loader": attr.label(doc = "The C library's loader, which starts every program; none to use the system's.", allow_single_file = True),
        "object_version": attr.int(doc = "The newest version of code objects that the device libraries allow.", mandatory = True),
        "perl": attr.label(doc = "The interpreter of hipify-perl; none to use the system's.", allow_single_file = True),
        "perl_libraries": attr.label_list(doc = "The libraries that perl runs with.", allow_files = True),
        "perl_library": attr.label_list(doc = "Perl's own modules.", allow_files = True),
        "perl_library_path": attr.string(doc = "The directory of Perl's modules."),
        "prefix_path": attr.string(doc = "The directory above include/hip."),
        "resource_path": attr.string(doc = "Clang's resource directory."),
        "toolchain_name": attr.string(doc = "The toolchain's name, for messages.", mandatory = True),
    },
)

def _rocm_inspect_toolchain_impl(ctx):
    loader = ctx.file.loader
    loader_root = _root(loader, ctx.attr.loader.label)
    programs = {}
    for target, name in ctx.attr.programs.items():
        program = target[DefaultInfo].files.to_list()[0]
        root = _root(program, target.label)

        # llvm-readelf is llvm-readobj under another name.
        name = "llvm-readelf" if name == "llvm-readobj" else name
        templates = [template.replace("%LOADER_ROOT%", loader_root) for template in _loaded(
            loader,
            ["%LOADER_ROOT%/" + ctx.attr.library_path, _below(ctx.attr.library_path)],
            _below(target.label.name),
            name,
        )]
        programs[name] = _tool(loader, templates, root, [program] + ctx.files.libraries + ctx.files.own_libraries)
    info = RocmInspectInfo(programs = programs)
    return [platform_common.ToolchainInfo(inspect = info), info]

rocm_inspect_toolchain = rule(
    implementation = _rocm_inspect_toolchain_impl,
    doc = "LLVM's programs that inspect and assemble code.",
    attrs = {
        "libraries": attr.label_list(doc = "Libraries of the compiler's tree that the programs run with.", allow_files = True),
        "library_path": attr.string(doc = "The directory of the libraries in either tree.", mandatory = True),
        "loader": attr.label(doc = "The C library's loader.", allow_single_file = True, mandatory = True),
        "own_libraries": attr.label_list(doc = "Libraries that only these programs need.", allow_files = True),
        "programs": attr.label_keyed_string_dict(doc = "The programs, with their names.", allow_files = True, mandatory = True),
    },
)

def arch_arguments(toolchain, arch):
    """Returns what a compile for an architecture needs, or fails if the toolchain does not know it.

    Args:
      toolchain: the RocmToolchainInfo.
      arch: the target ID, such as "gfx90a:xnack+".
    Returns:
      A struct with `arguments`, a list of strings, and `files`, a depset.
    """
    name = arch.split(":")[0]
    info = toolchain.archs.get(name)
    if not info:
        fail("the toolchain {} (clang {}) has no device library for {}; it has those for {}. Take this architecture out of --rocm_archs, or use a newer lock.".format(
            toolchain.name,
            toolchain.llvm_major,
            name,
            ", ".join(toolchain.archs.keys()),
        ))
    return struct(
        arguments = ["--offload-arch=" + arch] + info.compile_arguments,
        files = info.compile_files,
    )

def _rocm_program_impl(ctx):
    if RocmToolchainInfo in ctx.attr.toolchain:
        info = ctx.attr.toolchain[RocmToolchainInfo]
        tool = {"clang": info.compile, "hipify": info.hipify, "lld": info.link}[ctx.attr.program]
        files = [tool.files] + ([info.compile_files] + [arch.compile_files for arch in info.archs.values()] if ctx.attr.program == "clang" else [])
    else:
        tool = ctx.attr.toolchain[RocmInspectInfo].programs[ctx.attr.program]
        files = [tool.files]

    # In a runfiles tree an external repository is beside the main one.
    def runfile(path):
        return "$runfiles/" + path.removeprefix("external/")

    def quoted(argument):
        return '"' + argument.replace("external/", "$runfiles/") + '"'

    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join([
        "#!/bin/sh",
        "# Starts a program of the toolchain in the directory that `bazel run` was called from.",
        "runfiles=${RUNFILES_DIR:-$0.runfiles}",
        "case $runfiles in /*) ;; *) runfiles=$PWD/$runfiles ;; esac",
        'cd "${BUILD_WORKING_DIRECTORY:-.}" || exit',
    ] + ["export {}={}".format(name, quoted(value)) for name, value in tool.env.items()] + [
        'exec "{}" {} "$@"'.format(runfile(tool.executable.path), " ".join([quoted(argument) for argument in tool.arguments])),
        "",
    ]), is_executable = True)
    return [DefaultInfo(
        executable = script,
        runfiles = ctx.runfiles(transitive_files = depset(transitive = files)),
    )]

rocm_program = rule(
    implementation = _rocm_program_impl,
    doc = "A program of the toolchain, for `bazel run`.",
    attrs = {
        "program": attr.string(doc = "Its name.", mandatory = True),
        "toolchain": attr.label(doc = "The toolchain that has it.", mandatory = True, providers = [[RocmToolchainInfo], [RocmInspectInfo]]),
    },
    executable = True,
)
