"""Writes the table of architectures as Go source, for the Go packages that need it."""

load(":archs.bzl", "ARCHS")

def _arch_table_go_impl(ctx):
    lines = [
        "// Code generated from toolchains/rocm/archs.bzl; DO NOT EDIT.",
        "// To bring it up to date: ./bazelw run //{}:arch_table.update".format(ctx.label.package),
        "",
        "package " + ctx.attr.package,
        "",
        "var archs = []archInfo{",
    ]
    for arch in ARCHS:
        lines.append("\t{{name: \"{name}\", mach: {mach}, generic: \"{generic}\", waveSize: {wave_size}, family: \"{family}\", sramecc: {sramecc}, xnack: {xnack}}},".format(
            name = arch.name,
            mach = "0x%x" % arch.mach,
            generic = arch.generic,
            wave_size = arch.wave_size,
            family = arch.family,
            sramecc = "sramecc" in arch.features and "true" or "false",
            xnack = "xnack" in arch.features and "true" or "false",
        ))
    lines.append("}")
    out = ctx.actions.declare_file(ctx.label.name + ".go")
    ctx.actions.write(out, "\n".join(lines) + "\n")
    return [DefaultInfo(files = depset([out]))]

arch_table_go = rule(
    implementation = _arch_table_go_impl,
    doc = "A Go file that declares `archs`, a slice of `archInfo`, with one element for each architecture.",
    attrs = {
        "package": attr.string(doc = "The name of the Go package that the file belongs to.", mandatory = True),
    },
)
