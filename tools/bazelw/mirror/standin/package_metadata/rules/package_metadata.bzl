"""A rule that says where a package came from; nothing here reads the answer."""

load("//providers:package_metadata_info.bzl", "PackageMetadataInfo")

def _package_metadata_impl(ctx):
    return [DefaultInfo(), PackageMetadataInfo(purl = ctx.attr.purl)]

_package_metadata = rule(
    implementation = _package_metadata_impl,
    attrs = {
        "attributes": attr.label_list(),
        "purl": attr.string(),
    },
    provides = [PackageMetadataInfo],
)

# buildifier: disable=function-docstring
def package_metadata(name, purl = "", attributes = [], visibility = None, **kwargs):
    # It is itself a package's default metadata: without the empty list it would depend on itself.
    _package_metadata(
        name = name,
        purl = purl,
        attributes = attributes,
        applicable_licenses = [],
        visibility = visibility,
        **kwargs
    )
