"""Declares toolchains in a repository of their own, so that choosing one fetches none."""

load(":tree_build_file.bzl", "toolchains_build_file")

def _rocm_toolchains_impl(rctx):
    rctx.file("BUILD.bazel", toolchains_build_file(
        inspect = rctx.attr.inspect,
        inspect_toolchain_type = str(Label("//toolchains/rocm:inspect_toolchain_type")),
        toolchain_type = str(Label("//toolchains/rocm:toolchain_type")),
        tree = rctx.attr.tree,
    ), executable = False)

rocm_toolchains = repository_rule(
    implementation = _rocm_toolchains_impl,
    doc = "A repository that only says which toolchains there are.",
    attrs = {
        "inspect": attr.string(doc = "The repository of the tools that inspect code, or empty."),
        "tree": attr.string(doc = "The repository of the compiler.", mandatory = True),
    },
)
