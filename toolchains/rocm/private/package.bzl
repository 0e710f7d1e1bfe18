"""Fetches one package of a lock, and nothing else, so that Bazel fetches many at once."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "read_user_netrc", "use_netrc")
load(":apt_mirrors.bzl", "apt_mirrors")

def _rocm_package_impl(rctx):
    roots = []
    if rctx.attr.mirror:
        roots.append(rctx.attr.mirror.rstrip("/"))
    else:
        roots += apt_mirrors(rctx)
    if rctx.attr.snapshot:
        roots.append(rctx.attr.snapshot.rstrip("/"))
    if not roots:
        fail("no mirror for the package {}: apt's sources on this machine name none. Set HIPLOOM_DEB_MIRROR to a Debian mirror's address.".format(rctx.attr.package))
    urls = [root + "/" + rctx.attr.filename for root in roots]
    result = rctx.download(
        url = urls,
        output = "package.deb",
        sha256 = rctx.attr.sha256,
        auth = use_netrc(read_user_netrc(rctx), urls, {}),
        allow_fail = True,
    )
    if not result.success:
        fail("\n".join([
            "the package {} {} of the toolchain lock {} could not be fetched.".format(rctx.attr.package, rctx.attr.version, rctx.attr.lock),
            "Wanted: {} with SHA-256 {}.".format(rctx.attr.filename, rctx.attr.sha256),
            "Tried:",
        ] + ["  " + url for url in urls] + [
            "Why each failed is in the warnings above: a mirror that has a newer version only, one that cannot be reached, or damaged data.",
            "What to do: name a mirror that still has it (HIPLOOM_DEB_MIRROR=http://MIRROR/debian, a list is fine), or bring the lock up to date: bazel run //toolchains/rocm:lock -- --update FILE.",
        ]))
    rctx.file("BUILD.bazel", """exports_files(["package.deb"])\n""", executable = False)

rocm_package = repository_rule(
    implementation = _rocm_package_impl,
    doc = "A repository that holds one package of a lock, packed.",
    attrs = {
        "filename": attr.string(doc = "Its path below an archive's root.", mandatory = True),
        "lock": attr.string(doc = "The lock that names it, for messages.", mandatory = True),
        "mirror": attr.string(doc = "The archive's root; empty for the Debian mirrors of this machine."),
        "package": attr.string(doc = "The package's name.", mandatory = True),
        "sha256": attr.string(doc = "Its SHA-256.", mandatory = True),
        "snapshot": attr.string(doc = "The root of a permanent copy of the archive, asked last."),
        "version": attr.string(doc = "The package's version.", mandatory = True),
    },
)
