"""Where this machine gets Debian packages from."""

def _words(text):
    return [word for word in text.replace(",", " ").replace("\t", " ").replace("\n", " ").split(" ") if word]

def _one_line_mirrors(text):
    """Reads sources.list, one source a line: deb [options] address suite component..."""
    found = []
    for line in text.split("\n"):
        line = line.split("#")[0].strip()
        if not line.startswith("deb ") and not line.startswith("deb\t"):
            continue
        rest = line[4:].strip()
        if rest.startswith("["):
            rest = rest.partition("]")[2]
        words = _words(rest)
        if len(words) >= 2:
            found.append(struct(address = words[0], suites = [words[1]]))
    return found

def _deb822_mirrors(text):
    """Reads a .sources file: stanzas of fields."""
    found = []
    for stanza in text.replace("\r", "").split("\n\n"):
        fields = {}
        name = None
        for line in stanza.split("\n"):
            if line.startswith("#") or not line.strip():
                continue
            if line[0] in " \t":
                if name:
                    fields[name] += " " + line.strip()
                continue
            name, _, value = line.partition(":")
            name = name.strip().lower()
            fields[name] = value.strip()
        if fields.get("enabled", "yes").lower() in ["no", "false", "off", "0"]:
            continue
        if "deb" not in _words(fields.get("types", "")):
            continue
        for address in _words(fields.get("uris", "")):
            found.append(struct(address = address, suites = _words(fields.get("suites", ""))))
    return found

def parse_apt_sources(text, deb822):
    """Returns the addresses of the Debian archive that a file of apt's sources names.

    A wrong guess does no harm: what a mirror sends must have the hash that the lock gives.

    Args:
      text: the file's content.
      deb822: whether it is in the format of .sources files rather than of sources.list.
    Returns:
      A list of strings without a slash at the end.
    """
    addresses = []
    for source in (_deb822_mirrors if deb822 else _one_line_mirrors)(text):
        address = source.address.rstrip("/")
        if not address.startswith("http://") and not address.startswith("https://"):
            continue

        # The security archive is another one, without most packages.
        if source.suites and all([suite.endswith("-security") or suite.endswith("/updates") for suite in source.suites]):
            continue
        if address not in addresses:
            addresses.append(address)
    return addresses

def apt_mirrors(rctx):
    """Returns the addresses of Debian's archive to ask, the preferred one first.

    Args:
      rctx: the repository context.
    Returns:
      Those in HIPLOOM_DEB_MIRROR, then those that the machine's apt sources name.
    """
    addresses = [address.rstrip("/") for address in _words(rctx.getenv("HIPLOOM_DEB_MIRROR") or "")]
    files = [rctx.path("/etc/apt/sources.list")]
    folder = rctx.path("/etc/apt/sources.list.d")
    if folder.exists:
        files += sorted(folder.readdir(watch = "no"), key = str)
    for file in files:
        deb822 = file.basename.endswith(".sources")
        if not file.exists or not (deb822 or file.basename.endswith(".list")):
            continue
        for address in parse_apt_sources(rctx.read(file, watch = "no"), deb822):
            if address not in addresses:
                addresses.append(address)
    return addresses
