"""An installed ROCm as a toolchain."""

load("//toolchains/rocm:archs.bzl", "ARCHS")
load(":layout.bzl", "bitcode_files", "find_layout")
load(":tree_build_file.bzl", "local_build_file")

def _rocm_local_impl(rctx):
    asked = rctx.attr.path or rctx.getenv("ROCM_PATH") or "/opt/rocm"
    root = rctx.path(asked)
    if not root.exists:
        fail("no ROCm is installed at {}. Set ROCM_PATH or the path of rocm.local to where it is, or use rocm.toolchain(), which needs none.".format(asked))
    layout = find_layout(root)
    if layout.missing:
        fail("the ROCm at {} is incomplete; missing: {}. Install its compiler packages (rocm-llvm, rocm-device-libs, hip-dev, hipify-perl), or use rocm.toolchain().".format(asked, ", ".join(layout.missing)))
    for entry in root.readdir():
        if entry.basename not in ["BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel", "REPO.bazel"]:
            rctx.symlink(entry, entry.basename)
    rctx.file("BUILD.bazel", local_build_file(
        name = rctx.attr.toolchain,
        bitcode = bitcode_files(root, layout, ARCHS),
        layout = layout,
        toolchain_bzl = str(Label("//toolchains/rocm:toolchain.bzl")),
    ), executable = False)

rocm_local = repository_rule(
    implementation = _rocm_local_impl,
    doc = "A repository of links to an installed ROCm.",
    attrs = {
        "path": attr.string(doc = "Where it is installed; empty for $ROCM_PATH, then /opt/rocm."),
        "toolchain": attr.string(doc = "The toolchain's name, for messages.", mandatory = True),
    },
    local = True,
)
