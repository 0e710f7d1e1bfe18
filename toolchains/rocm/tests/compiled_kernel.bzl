"""Compiles one CUDA file with the toolchain as it is, without the rules that are made of it."""

load("//toolchains/rocm:arch_names.bzl", "resolve_archs")
load("//toolchains/rocm:providers.bzl", "RocmToolchainInfo")
load("//toolchains/rocm:toolchain.bzl", "TOOLCHAIN_TYPE", "arch_arguments")

def _compiled_kernel_impl(ctx):
    toolchain = ctx.attr.toolchain[RocmToolchainInfo] if ctx.attr.toolchain else ctx.toolchains[TOOLCHAIN_TYPE].rocm
    resolved = resolve_archs([ctx.attr.arch])
    if resolved.error:
        fail(resolved.error)
    arch = arch_arguments(toolchain, resolved.archs[0])

    def declare(suffix):
        return ctx.actions.declare_file(ctx.label.name + suffix)

    hip = declare(".hip")
    ctx.actions.run(
        executable = toolchain.hipify.executable,
        arguments = toolchain.hipify.arguments + ["-o=" + hip.path, ctx.file.src.path],
        inputs = depset([ctx.file.src], transitive = [toolchain.hipify.files]),
        outputs = [hip],
        env = toolchain.hipify.env,
        mnemonic = "TestHipify",
        toolchain = TOOLCHAIN_TYPE,
    )
    object = declare(".o")
    ctx.actions.run(
        executable = toolchain.compile.executable,
        arguments = toolchain.compile.arguments + arch.arguments + [
            "-x",
            "hip",
            "--offload-device-only",
            "--no-gpu-bundle-output",
            "-fhip-emit-relocatable",
            "-fuse-cuid=none",
            "-O3",
            "-c",
            hip.path,
            "-o",
            object.path,
        ],
        inputs = depset([hip], transitive = [toolchain.compile.files, toolchain.compile_files, arch.files]),
        outputs = [object],
        env = toolchain.compile.env,
        mnemonic = "TestHipCompile",
        toolchain = TOOLCHAIN_TYPE,
    )
    code_object = declare(".hsaco")
    ctx.actions.run(
        executable = toolchain.link.executable,
        arguments = toolchain.link.arguments + ["--no-undefined", "-shared", "-o", code_object.path, object.path],
        inputs = depset([object], transitive = [toolchain.link.files]),
        outputs = [code_object],
        env = toolchain.link.env,
        mnemonic = "TestHipLink",
        toolchain = TOOLCHAIN_TYPE,
    )
    return [DefaultInfo(files = depset([code_object]))]

compiled_kernel = rule(
    implementation = _compiled_kernel_impl,
    doc = "A code object for one architecture.",
    attrs = {
        "arch": attr.string(doc = "The target ID.", mandatory = True),
        "src": attr.label(doc = "The CUDA file.", allow_single_file = [".cu"], mandatory = True),
        "toolchain": attr.label(doc = "A toolchain instead of the registered one.", providers = [RocmToolchainInfo]),
    },
    toolchains = [TOOLCHAIN_TYPE],
)
