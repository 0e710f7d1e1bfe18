"""Reads lock files, which `bazel run //toolchains/rocm:lock` writes."""

_SCHEMA = 1
_HEX = "0123456789abcdef"

# Which of a lock's packages make up which repository.
TREE_ROLES = ["compiler", "devicelibs", "hostlibs", "hipify", "headers"]
INSPECT_ROLES = ["inspect"]

def _check_package(package, archives, where):
    for field in ["package", "version", "archive", "filename", "sha256", "role"]:
        if type(package.get(field)) != "string" or not package[field]:
            return "{}: a package has no {}".format(where, field)
    name = package["package"]
    if len(package["sha256"]) != 64 or [c for c in package["sha256"].elems() if c not in _HEX]:
        return "{}: the SHA-256 of {} is not 64 hexadecimal digits; nothing is fetched without one".format(where, name)
    if package["filename"].startswith("/") or ".." in package["filename"].split("/"):
        return "{}: the path of {} leaves the archive: {}".format(where, name, package["filename"])
    if [c for c in name.elems() if not c.isalnum() and c not in "+-."]:
        return "{}: {} is not a package's name".format(where, repr(name))
    if package["archive"] not in archives:
        return "{}: {} is from the archive {}, which the lock does not describe".format(where, name, package["archive"])
    return None

def parse_lock(text, where):
    """Reads and checks a lock.

    Args:
      text: the file's content.
      where: the file's label, for messages.
    Returns:
      A struct with `packages`, a list of structs, and `error`, None or a string.
    """
    lock = json.decode(text, default = None)
    if type(lock) != "dict" or lock.get("schema") != _SCHEMA:
        return struct(packages = [], error = "{}: not a lock of schema {}; write one with: bazel run //toolchains/rocm:lock -- --new FILE".format(where, _SCHEMA))
    archives = {archive["name"]: archive for archive in lock.get("archives", [])}
    packages = []
    seen = {}
    for package in lock.get("packages", []):
        error = _check_package(package, archives, where)
        if not error and package["package"] in seen:
            error = "{}: {} is listed twice".format(where, package["package"])
        if error:
            return struct(packages = [], error = error)
        seen[package["package"]] = True
        archive = archives[package["archive"]]
        timestamps = [suite["timestamp"] for suite in archive["suites"] if suite["suite"] == package.get("suite")]
        packages.append(struct(
            name = package["package"],
            version = package["version"],
            filename = package["filename"],
            sha256 = package["sha256"],
            role = package["role"],
            mirror = archive.get("mirror", ""),
            snapshot = archive.get("snapshot", "").replace("{timestamp}", timestamps[0]) if timestamps else "",
        ))
    return struct(packages = packages, error = None)
