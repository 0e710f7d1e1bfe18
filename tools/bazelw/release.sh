#!/bin/sh
# Way 2: fetches bazelisk, verifies it against the hashes below, and lets it fetch the official Bazel.
# usage: release.sh STATE ROOT
set -eu
state=$1 root=$2
# shellcheck source=say.sh
. "$root/tools/bazelw/say.sh"

bazelisk_version=1.28.1
case $(uname -s)-$(uname -m) in
  Linux-x86_64) platform=linux-amd64 sha256=22e7d3a188699982f661cf4687137ee52d1f24fec1ec893d91a6c4d791a75de8 ;;
  Linux-aarch64) platform=linux-arm64 sha256=8ded44b58a0d9425a4178af26cf17693feac3b87bdcfef0a2a0898fcd1afc9f2 ;;
  Darwin-x86_64) platform=darwin-amd64 sha256=023225736cea5dc88f2b0807d5b1af4eb0f69a4ed45e3994b2c18c263bc80e48 ;;
  Darwin-arm64) platform=darwin-arm64 sha256=dea3f3f5de2dbc5e269e0132cdd369d5efe738f7b973d5d4eb2b4f7055a97b39 ;;
  *) die "bazelisk is not released for $(uname -s) on $(uname -m)" ;;
esac
# HIPLOOM_BAZELISK_URL: for networks that hold releases elsewhere; the hash stays.
url=${HIPLOOM_BAZELISK_URL:-https://github.com/bazelbuild/bazelisk/releases/download/v$bazelisk_version/bazelisk-$platform}

mkdir -p "$state/release/home"
rm -f "$state"/release/bazelisk.new.*
new=$state/release/bazelisk.new.$$
trap 'rm -f "$new"' EXIT

say "fetching bazelisk $bazelisk_version from $url"
if command -v curl >/dev/null 2>&1; then
  curl -fL --progress-bar --retry 2 --connect-timeout 15 -o "$new" "$url" || die "fetching $url failed"
else
  wget -O "$new" "$url" || die "fetching $url failed"
fi
if command -v sha256sum >/dev/null 2>&1; then got=$(sha256sum <"$new"); else got=$(shasum -a 256 <"$new"); fi
got=${got%% *}
[ "$got" = "$sha256" ] ||
  die "bazelisk from $url has SHA-256 $got, not $sha256: refused" "somebody changed it on the way, or the address is another version's"
chmod +x "$new"

say "bazelisk fetches Bazel $(cat "$root/.bazelversion")"
(cd "$root" && BAZELISK_HOME="$state/release/home" "$new" --version >&2) || die "bazelisk could not fetch Bazel"
mv -f "$new" "$state/release/bazelisk"
printf 'release\n' >"$state/way.new.$$" && mv -f "$state/way.new.$$" "$state/way"
