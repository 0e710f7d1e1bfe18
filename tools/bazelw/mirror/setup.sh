#!/bin/sh
# Way 3: sets up what a checkout and a workspace need, and writes the rc file that names it all.
# Whatever is there already is kept, so a repeat needs no network; whatever is new appears whole or not at all.
# usage: setup.sh ROOT WORKSPACE CACHE RC
set -eu
umask 022
root=$1 workspace=$2 cache=$3 rc=$4
here=$root/tools/bazelw/mirror
dir=$cache/bazelw/mirror

# shellcheck source=../say.sh
. "$root/tools/bazelw/say.sh"

case $(uname -s)-$(uname -m) in
  Linux-x86_64) ;;
  *) die "only package mirrors can be reached, and Debian has no Bazel for $(uname -s) on $(uname -m)" "install Bazel $(cat "$root/.bazelversion"), or connect to a network that reaches the public registry" ;;
esac
for tool in apt-get apt-config dpkg-deb flock sha256sum tar awk; do
  command -v "$tool" >/dev/null 2>&1 ||
    die "only package mirrors can be reached, and setting Bazel up from one needs '$tool', which is missing" "on a Debian system: apt-get install apt dpkg util-linux coreutils tar mawk"
done
if [ "$(id -u)" != 0 ] && command -v unshare >/dev/null 2>&1 && ! unshare --user true 2>/dev/null && ! command -v bwrap >/dev/null 2>&1; then
  die "this machine does not let $(user) create user namespaces, in which Bazel's root tree runs" \
    "allow it (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0), or install bubblewrap"
fi
make_writable "$dir/rc"

# One set-up at a time: the second finds the first one's work done.
exec 9>"$dir/lock"
if ! flock -n 9; then
  say "another set-up is at work in $dir; waiting for it"
  until flock -w 5 9; do say "still waiting for the other set-up"; done
fi
[ ! -f "$rc" ] || exit 0

# Left by a set-up that was killed: the lock is ours, so nobody is at work on them.
rm -rf "$dir"/*.new

tree=$dir/root-$(cat "$here/packages.list" "$here/root.sh" "$here/enter.sh" | sha256sum | cut -c1-16)
if [ ! -d "$tree" ]; then
  say "setting up Bazel $(cat "$root/.bazelversion") from this machine's Debian mirror (once; about 350 MB to download, 900 MB on disk)"
  sh "$here/root.sh" "$root" "$tree" "$dir"
fi
sh "$here/modules.sh" "$root" "$tree" "$dir"

# A workspace below /usr would be hidden by the tree's own.
case $workspace/ in
  /usr/* | /lib/* | /lib64/* | /bin/* | /sbin/*) die "the workspace $workspace lies in a directory that Bazel's root tree replaces" "move it, for example below the home directory" ;;
esac

# shellcheck source=enter.sh
. "$here/enter.sh"
output='' output_root=$cache/bazel
case $cache in
  *[[:space:]]*)
    output=$output_root output_root=$output_mount
    mkdir -p "$output"
    ;;
esac

quote() { printf '%s' "$1" | sed 's/["\\]/\\&/g'; }
{
  printf '# tree: %s\n' "$tree"
  printf '# bwrap: %s\n' "$(cat "$tree/bwrap")"
  printf '# output: %s\n' "$output"
  printf '# Written by bazelw for the workspace %s; see tools/bazelw/README.md.\n' "$workspace"
  printf 'startup --server_javabase=/usr/lib/jvm/default-java\n'
  # Bazel's Java is older than this runtime, which would warn of what it does.
  printf 'startup --host_jvm_args=--enable-native-access=ALL-UNNAMED --host_jvm_args=--sun-misc-unsafe-memory-access=allow\n'
  # A server sees the tree it was started in: another tree must be another server, and different options make one.
  printf 'startup --host_jvm_args=-Dhiploom.tree=%s\n' "${tree##*/}"
  printf 'startup "--output_user_root=%s"\n' "$(quote "$output_root")"
  printf 'common --noenable_workspace\n'
  printf 'common "--distdir=%s"\n' "$(quote "$dir/archives")"
  # Everything that go.sum names is in this directory; go.sum, not the network, vouches for it.
  printf 'common "--repo_env=GOPROXY=file://%s|%s"\n' "$(quote "$dir/gomod/cache/download" | sed 's/%/%25/g; s/ /%20/g')" "$(cat "$dir/goproxy")"
  printf 'common --repo_env=GOSUMDB=off\n'
  # The sandbox's own /tmp would hide what lies below the real one.
  case :$workspace:$cache:$root in *:/tmp/*) printf 'common --noincompatible_sandbox_hermetic_tmp\n' ;; esac
  awk -v list="$here/modules.list" -v standin="$here/standin" -v tree="$tree" -v gomodules="$dir/modules" -v root="$root" \
    -f "$here/overrides.awk" "$workspace/MODULE.bazel"
} >"$rc.new"
# A proxy's address may hold a password.
chmod 600 "$rc.new"
mv -f "$rc.new" "$rc"
printf 'mirror\n' >"$cache/bazelw/way.new" && mv -f "$cache/bazelw/way.new" "$cache/bazelw/way"
say "ready: $tree"
