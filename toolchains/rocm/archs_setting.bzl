"""The build setting that says which GPU architectures code is built for."""

load(":arch_names.bzl", "resolve_archs")
load(":providers.bzl", "ArchsInfo")

def _archs_setting_impl(ctx):
    resolved = resolve_archs(ctx.build_setting_value)
    if resolved.error:
        fail("{}: {}".format(ctx.label, resolved.error))
    return [ArchsInfo(archs = resolved.archs)]

archs_setting = rule(
    implementation = _archs_setting_impl,
    doc = "A list of GPU architectures; see resolve_archs for what an element may be.",
    build_setting = config.string_list(flag = True, repeatable = True),
)
