"""Module extension that brings a ROCm compiler.

    rocm = use_extension("@hiploom//toolchains/rocm:extensions.bzl", "rocm")
    rocm.toolchain(lock = "//:my-lock.json")     # or nothing at all, for hiploom's own
    use_repo(rocm, "rocm")

The root module's tags win over those of its dependencies; hiploom's own come last.
"""

load("//toolchains/rocm/private:local.bzl", "rocm_local")
load("//toolchains/rocm/private:lock.bzl", "INSPECT_ROLES", "TREE_ROLES", "parse_lock")
load("//toolchains/rocm/private:package.bzl", "rocm_package")
load("//toolchains/rocm/private:toolchains.bzl", "rocm_toolchains")
load("//toolchains/rocm/private:tree.bzl", "rocm_inspect", "rocm_tree")

_NAME = attr.string(
    doc = "The name of the repository. The default, \"rocm\", is the one whose toolchain is registered, by @rocm_toolchains.",
    default = "rocm",
)

_toolchain = tag_class(
    doc = "A hermetic compiler: the packages that a lock file lists.",
    attrs = {
        "lock": attr.label(
            doc = "The lock file, as `bazel run @hiploom//toolchains/rocm:lock` writes it. Default: ROCm 7.0 and LLVM 21 of Debian.",
            default = Label("//toolchains/rocm/locks:debian-forky.json"),
        ),
        "name": _NAME,
    },
)

_local = tag_class(
    doc = "An installed ROCm, for people who must use AMD's own build. Not hermetic: its libraries are the machine's.",
    attrs = {
        "name": _NAME,
        "path": attr.string(doc = "Where it is installed. Default: $ROCM_PATH, then /opt/rocm."),
    },
)

def _repository_name(toolchain, package):
    # A "+" is not allowed in a repository's name.
    return toolchain + "_deb_" + package.replace("+", "x")

def _hermetic(mctx, tag):
    """Makes a lock's repositories; returns the name of the one that inspects code, or an empty string."""
    lock = parse_lock(mctx.read(tag.lock), str(tag.lock))
    if lock.error:
        fail(lock.error)
    packages = [package for package in lock.packages if package.role in TREE_ROLES + INSPECT_ROLES]
    for package in packages:
        rocm_package(
            name = _repository_name(tag.name, package.name),
            filename = package.filename,
            lock = str(tag.lock),
            mirror = package.mirror,
            package = package.name,
            sha256 = package.sha256,
            snapshot = package.snapshot,
            version = package.version,
        )

    def files(roles):
        return ["@{}//:package.deb".format(_repository_name(tag.name, package.name)) for package in packages if package.role in roles]

    inspect = tag.name + "_inspect" if files(INSPECT_ROLES) else ""
    rocm_tree(
        name = tag.name,
        inspect = inspect,
        lock = str(tag.lock),
        packages = files(TREE_ROLES),
        toolchain = tag.name,
    )
    if inspect:
        rocm_inspect(
            name = inspect,
            lock = str(tag.lock),
            packages = files(INSPECT_ROLES),
            tree = "@{}//:BUILD.bazel".format(tag.name),
        )
    return inspect

def _rocm_impl(mctx):
    # Modules come root first, so the first that claims a name has it.
    claimed = {}
    for module in mctx.modules:
        own = {}
        for tag in module.tags.toolchain + module.tags.local:
            if tag.name in own:
                fail("module {} names two ROCm toolchains {}; give one of them another name".format(module.name, repr(tag.name)))
            own[tag.name] = True
            if tag.name in claimed:
                continue
            claimed[tag.name] = True
            inspect = ""
            if hasattr(tag, "lock"):
                inspect = _hermetic(mctx, tag)
            else:
                rocm_local(name = tag.name, path = tag.path, toolchain = tag.name)
            rocm_toolchains(name = tag.name + "_toolchains", inspect = inspect, tree = tag.name)
    return mctx.extension_metadata(reproducible = True)

rocm = module_extension(
    implementation = _rocm_impl,
    doc = "Brings the compiler from HIP to AMD GPU code.",
    tag_classes = {
        "local": _local,
        "toolchain": _toolchain,
    },
)
