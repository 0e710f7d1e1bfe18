"""Unit tests of the toolchain's Starlark functions."""

load("@bazel_skylib//lib:unittest.bzl", "asserts", "unittest")
load("//toolchains/rocm:arch_names.bzl", "GROUPS", "resolve_archs")
load("//toolchains/rocm:archs.bzl", "ARCHS")
load("//toolchains/rocm/private:apt_mirrors.bzl", "parse_apt_sources")
load("//toolchains/rocm/private:lock.bzl", "parse_lock")

def _resolve_archs_test_impl(ctx):
    env = unittest.begin(ctx)
    for asked, want in [
        (["gfx1100"], ["gfx1100"]),
        (["gfx1201,gfx900"], ["gfx900", "gfx1201"]),
        (["gfx90a:xnack-:sramecc+"], ["gfx90a:sramecc+:xnack-"]),
        (["gfx90a", "gfx90a:xnack+", "gfx90a"], ["gfx90a", "gfx90a:xnack+"]),
        (["cdna"], ["gfx908", "gfx90a", "gfx942", "gfx950"]),
        ([" gfx1030 , gfx1031 "], ["gfx1030", "gfx1031"]),
        (["generic"], ["gfx9-generic", "gfx9-4-generic", "gfx10-1-generic", "gfx10-3-generic", "gfx11-generic", "gfx12-generic"]),
    ]:
        resolved = resolve_archs(asked)
        asserts.equals(env, None, resolved.error)
        asserts.equals(env, want, resolved.archs)
    asserts.equals(env, [arch.name for arch in ARCHS], resolve_archs(["all"]).archs)
    return unittest.end(env)

resolve_archs_test = unittest.make(_resolve_archs_test_impl)

def _default_covers_everything_test_impl(ctx):
    env = unittest.begin(ctx)
    chosen = resolve_archs(["default"]).archs
    for arch in ARCHS:
        if not arch.is_generic:
            asserts.true(env, arch.name in chosen or arch.generic in chosen, arch.name + " is not covered")

    # Smallest: without any one of them, something is not covered.
    for dropped in chosen:
        uncovered = [arch.name for arch in ARCHS if not arch.is_generic and dropped in [arch.name, arch.generic] and (arch.generic == dropped or not arch.generic)]
        asserts.true(env, uncovered, dropped + " is not needed")
    asserts.equals(env, 8, len(GROUPS["default"]))
    return unittest.end(env)

default_covers_everything_test = unittest.make(_default_covers_everything_test_impl)

def _bad_archs_test_impl(ctx):
    env = unittest.begin(ctx)
    for asked, want in [
        (["gfx1104"], "'gfx1104' is no AMD GPU architecture"),
        (["gfx1104"], "nearest: gfx1100, gfx1101, gfx1102, gfx1103"),
        (["defualt"], "nearest: default"),
        (["GFX1100"], "is no AMD GPU architecture"),
        (["gfx1100:xnack+"], "gfx1100 has no feature 'xnack'; it has none"),
        (["gfx90a:sramecc"], "ends in neither + nor -"),
        (["gfx90a:"], "ends in neither + nor -"),
        (["gfx90a:xnack+:xnack-"], "the feature xnack is set twice"),
        (["gfx900,"], "name is empty"),
        ([""], "name is empty"),
        ([], "no architecture is asked for"),
        (["x" * 5000], "is no AMD GPU architecture"),
    ]:
        error = resolve_archs(asked).error
        asserts.true(env, error and want in error.replace('"', "'"), "{}: {}".format(asked, error))
    return unittest.end(env)

bad_archs_test = unittest.make(_bad_archs_test_impl)

_PACKAGE = """{"package": "clang", "version": "1", "archive": "debian", "suite": "sid", "filename": "pool/c.deb", "sha256": "%s", "role": "compiler"}"""
_LOCK = """{"schema": 1, "archives": [{"name": "debian", "mirror": "", "snapshot": "https://s/{timestamp}/", "suites": [{"suite": "sid", "timestamp": "T"}]}], "packages": [%s]}"""
_SHA256 = "0123456789abcdef" * 4

def _lock_test_impl(ctx):
    env = unittest.begin(ctx)
    good = parse_lock(_LOCK % (_PACKAGE % _SHA256), "here")
    asserts.equals(env, None, good.error)
    asserts.equals(env, "https://s/T/", good.packages[0].snapshot)
    asserts.equals(env, "compiler", good.packages[0].role)
    for text, want in [
        ("", "not a lock of schema 1"),
        ("[]", "not a lock of schema 1"),
        ('{"schema": 2}', "not a lock of schema 1"),
        (_LOCK % (_PACKAGE % "abc"), "is not 64 hexadecimal digits"),
        (_LOCK % (_PACKAGE % ""), "has no sha256"),
        (_LOCK % (_PACKAGE % _SHA256.upper()), "is not 64 hexadecimal digits"),
        (_LOCK % (_PACKAGE % _SHA256).replace("pool/c.deb", "pool/../../c.deb"), "leaves the archive"),
        (_LOCK % (_PACKAGE % _SHA256).replace("pool/c.deb", "/c.deb"), "leaves the archive"),
        (_LOCK % (_PACKAGE % _SHA256).replace('"debian"', '"other"'), "which the lock does not describe"),
        (_LOCK % (_PACKAGE % _SHA256).replace('"clang"', '"cl/ang"'), "is not a package's name"),
        (_LOCK % ", ".join([_PACKAGE % _SHA256] * 2), "is listed twice"),
    ]:
        error = parse_lock(text, "here").error
        asserts.true(env, error and want in error, "{}: {}".format(text[:80], error))
        asserts.true(env, error and error.startswith("here: "))
    return unittest.end(env)

lock_test = unittest.make(_lock_test_impl)

def _apt_sources_test_impl(ctx):
    env = unittest.begin(ctx)
    asserts.equals(env, ["http://m/debian", "https://n/debian"], parse_apt_sources("""
# a comment
deb http://m/debian/ bookworm main
deb [arch=amd64 signed-by=/k.gpg] https://n/debian bookworm main # more
deb-src http://src/debian bookworm main
deb http://m/debian bookworm-updates main
deb http://security/debian-security bookworm-security main
deb cdrom:[Debian]/ bookworm main
deb
deb http://one-word
""", deb822 = False))
    asserts.equals(env, ["http://m/debian", "http://n/debian"], parse_apt_sources("""Types: deb
# a comment
URIs: http://m/debian
 http://n/debian/
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://security/debian-security
Suites: bookworm-security

Types: deb
Enabled: no
URIs: http://off/debian
Suites: bookworm

Types: deb-src
URIs: http://src/debian
Suites: bookworm
""", deb822 = True))
    asserts.equals(env, [], parse_apt_sources("", deb822 = True))
    asserts.equals(env, [], parse_apt_sources(":\n\n \n:::", deb822 = True))
    return unittest.end(env)

apt_sources_test = unittest.make(_apt_sources_test_impl)
