"""From what a person asks for to a list of architectures: names, features, groups."""

load(":archs.bzl", "ARCHS")

_BY_NAME = {arch.name: arch for arch in ARCHS}

def _unique(names):
    return {name: None for name in names}.keys()

# The smallest set of targets that runs on every architecture of the table is the generic ones, and the processors that
# none covers.
GROUPS = {
    "all": [arch.name for arch in ARCHS],
    "cdna": [arch.name for arch in ARCHS if arch.family == "cdna" and not arch.is_generic],
    "default": _unique([arch.generic or arch.name for arch in ARCHS if not arch.is_generic]),
    "generic": [arch.name for arch in ARCHS if arch.is_generic],
    "rdna": [arch.name for arch in ARCHS if arch.family == "rdna" and not arch.is_generic],
}

def _edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i in range(len(a)):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(len(b)):
            replace = diagonal + (0 if a[i] == b[j] else 1)
            diagonal = row[j + 1]
            row[j + 1] = min(replace, row[j] + 1, row[j + 1] + 1)
    return row[len(b)]

def _nearest(name, candidates):
    """Returns the candidates that are at most two letters away, the nearest ones only."""
    best = 3
    found = []
    for candidate in candidates if len(name) <= 32 else []:
        distance = _edit_distance(name, candidate)
        if distance < best:
            best = distance
            found = []
        if distance == best and distance < 3:
            found.append(candidate)
    return found

def _canonical(asked):
    """Returns a target ID in LLVM's canonical form, and an error or None."""
    name = asked.split(":")[0]
    arch = _BY_NAME.get(name)
    if not arch:
        nearest = _nearest(name, _BY_NAME.keys() + GROUPS.keys())
        return None, "{} is no AMD GPU architecture that hiploom knows{}. Groups: {}. Architectures: {}".format(
            repr(asked),
            "; nearest: " + ", ".join(nearest) if nearest else "",
            ", ".join(GROUPS.keys()),
            ", ".join(_BY_NAME.keys()),
        )
    settings = {}
    for item in asked.split(":")[1:]:
        feature = item[:-1]
        if not item or item[-1] not in "+-":
            return None, "{}: the feature {} ends in neither + nor -".format(repr(asked), repr(item))
        if feature not in arch.features:
            return None, "{}: {} has no feature {}; it has {}".format(repr(asked), name, repr(feature), ", ".join(arch.features) or "none")
        if feature in settings:
            return None, "{}: the feature {} is set twice".format(repr(asked), feature)
        settings[feature] = item[-1]
    return ":".join([name] + [feature + settings[feature] for feature in arch.features if feature in settings]), None

def resolve_archs(asked):
    """Turns what was asked for into the architectures to build for.

    Args:
      asked: a list of strings, each with one or several of these, separated by commas: an architecture ("gfx1100",
        "gfx11-generic"), with features ("gfx90a:sramecc+:xnack-"), or a group of GROUPS.
    Returns:
      A struct with `archs`, a list of target IDs in canonical form, each once, in the order of the table; and `error`, None
      or a string.
    """
    found = {}
    for item in [item.strip() for items in asked for item in items.split(",")]:
        if not item:
            return struct(archs = [], error = "an architecture's name is empty in {}".format(repr(",".join(asked))))
        for name in GROUPS.get(item, [item]):
            canonical, error = _canonical(name)
            if error:
                return struct(archs = [], error = error)
            found[canonical] = None
    if not found:
        return struct(archs = [], error = "no architecture is asked for")
    order = {arch.name: i for i, arch in enumerate(ARCHS)}
    return struct(
        archs = sorted(found.keys(), key = lambda arch: (order[arch.split(":")[0]], arch)),
        error = None,
    )
