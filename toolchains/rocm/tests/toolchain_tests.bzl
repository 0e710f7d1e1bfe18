"""Analysis tests of the toolchain."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//toolchains/rocm:archs.bzl", "ARCHS", "UNKNOWN_TO")
load("//toolchains/rocm:providers.bzl", "ArchsInfo", "RocmToolchainInfo")

def _known_archs_test_impl(ctx):
    env = analysistest.begin(ctx)
    toolchain = analysistest.target_under_test(env)[RocmToolchainInfo]
    unknown = [arch.name for arch in ARCHS if arch.name not in toolchain.archs]
    asserts.equals(env, UNKNOWN_TO[toolchain.name], unknown)
    return analysistest.end(env)

known_archs_test = analysistest.make(_known_archs_test_impl)

def _failure_test_impl(ctx):
    env = analysistest.begin(ctx)
    for message in ctx.attr.messages:
        asserts.expect_failure(env, message)
    return analysistest.end(env)

failure_test = analysistest.make(
    _failure_test_impl,
    expect_failure = True,
    attrs = {"messages": attr.string_list(mandatory = True)},
)

def _bad_archs(value):
    return analysistest.make(
        _failure_test_impl,
        expect_failure = True,
        attrs = {"messages": attr.string_list(mandatory = True)},
        config_settings = {str(Label("//toolchains/rocm:archs")): value},
    )

misspelt_arch_test = _bad_archs(["gfx1100,gfx1104"])
unknown_feature_test = _bad_archs(["gfx1100:xnack+"])
empty_arch_test = _bad_archs(["gfx1100,"])

def _good_archs_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.equals(env, ctx.attr.expected, analysistest.target_under_test(env)[ArchsInfo].archs)
    return analysistest.end(env)

_GOOD = {"expected": attr.string_list(mandatory = True)}
default_archs_test = analysistest.make(_good_archs_test_impl, attrs = _GOOD)
mixed_archs_test = analysistest.make(
    _good_archs_test_impl,
    attrs = _GOOD,
    config_settings = {str(Label("//toolchains/rocm:archs")): ["gfx1201,gfx90a:xnack-:sramecc+", "cdna", "gfx1201"]},
)

def _separate_files_test_impl(ctx):
    env = analysistest.begin(ctx)
    toolchain = analysistest.target_under_test(env)[RocmToolchainInfo]
    tools = {
        "compile": (toolchain.compile, ["/perl", "/hipify-perl", "/lld"]),
        "hipify": (toolchain.hipify, ["/clang", "/lld", "libLLVM", "libclang"]),
        "link": (toolchain.link, ["/clang", "/perl", "/hipify-perl", "libclang"]),
    }
    for name, (tool, foreign) in tools.items():
        for file in tool.files.to_list():
            asserts.false(env, file.path.startswith("/"), "{} of {} is an absolute path".format(file.path, name))
            for part in foreign:
                asserts.false(env, part.startswith("/") and file.path.endswith(part) or not part.startswith("/") and part in file.basename, "{} drags in {}".format(name, file.path))
        for argument in tool.arguments:
            asserts.false(env, argument.startswith("/") or "=/" in argument, "{} has the absolute path {}".format(name, argument))
    for arch, info in toolchain.archs.items():
        asserts.equals(env, 1, len(info.compile_files.to_list()), arch)
    return analysistest.end(env)

separate_files_test = analysistest.make(_separate_files_test_impl)
