"""The provider that package_metadata targets carry."""

PackageMetadataInfo = provider(
    doc = "Where a package came from.",
    fields = {"purl": "string: the package URL"},
)
