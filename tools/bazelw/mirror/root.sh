#!/bin/sh
# Makes the root tree of way 3: Debian packages, verified by apt, unpacked without being installed.
# usage: root.sh ROOT TREE DIR. TREE appears whole, at the very end.
set -eu
umask 022
root=$1 tree=$2 dir=$3
here=$root/tools/bazelw/mirror
new=$tree.new
apt=$dir/apt
version=$(cat "$root/.bazelversion")

# shellcheck source=../say.sh
. "$root/tools/bazelw/say.sh"

job=
stop() {
  [ -z "$job" ] || kill "$job" 2>/dev/null || :
  rm -rf "$new"
  exit 130
}
trap stop INT TERM HUP
# Whatever fails, a half-made tree takes no space.
trap 'rm -rf "$new"' EXIT
# shellcheck source=watch.sh
. "$here/watch.sh"

free_kb() { df -Pk "$dir" | awk 'NR == 2 { print $4 }'; }
# A log on a full disk may be empty, so its words are not all there is to go by.
disk_full() { grep -qi 'no space left' "$1" 2>/dev/null || [ "$(free_kb)" -lt 20000 ]; }
need_kb=$((1600000 - $({ du -sk "$apt" 2>/dev/null || echo 0; } | cut -f1)))
[ "$(free_kb)" -ge "$need_kb" ] ||
  die "$dir has $(($(free_kb) / 1024)) MB of free disk space, and set-up needs $((need_kb / 1024)) MB" "free some, or point XDG_CACHE_HOME at a larger disk"

# An apt of our own: its state here, nothing of the machine's touched, the machine's network settings kept.
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/empty" "$apt/none"
settings=$(apt-config dump 2>/dev/null | grep '^Acquire::' || :)
cat >"$apt/apt.conf" <<CONF
$settings
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$apt/empty";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/empty";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$apt/empty";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Install-Recommends "false";
APT::Sandbox::User "$(user)";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Retries "3";
# Mirrors may be frozen; the signature is checked all the same.
Acquire::Check-Valid-Until "false";
CONF
# Bazel's server is content with a Java runtime, so apt is told that the JDK is there.
cat >"$apt/status" <<STATUS
Package: default-jdk-headless
Status: install ok installed
Version: 2:1.99
Architecture: amd64
Maintainer: hiploom
Description: stands in for a JDK

STATUS
apt_get() { APT_CONFIG=$apt/apt.conf apt-get -q -y -o Debug::NoLocking=true "$@"; }

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || die "$keyring is missing, with which Debian's packages are verified" "install it: apt-get install debian-archive-keyring"

# The machine's own apt says which mirrors it uses, whatever the form its sources have.
mirrors=$(
  printf '%s\n' "${HIPLOOM_DEB_MIRROR:-}" | tr ', ' '[\n*]'
  apt-get update --print-uris -q -o Debug::NoLocking=true -o Dir::State::lists="$apt/none" 2>/dev/null |
    sed -n "s#^'\\(.*\\)/dists/\\([^/]*\\)/InRelease'.*#\\2 \\1#p" | grep -v -e '-security ' | cut -d' ' -f2-
)
mirrors=$(printf '%s\n' "$mirrors" | sed 's#/*$##' | awk 'NF && !seen[$0]++')
[ -n "$mirrors" ] ||
  die "no Debian mirror is configured on this machine, and the public registry cannot be reached either" \
    "add one to apt's sources, or name one: HIPLOOM_DEB_MIRROR=http://MIRROR/debian ./bazelw ..."

packages=$(sed 's/#.*//' "$here/packages.list")
found='' tried=''
for mirror in $mirrors; do
  for suite in forky sid; do
    say "reading the package list of Debian $suite"
    printf 'deb [arch=amd64 signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite" >"$apt/sources.list"
    if ! watch_growth "$apt/update.log" "package list" "$apt/lists" apt_get update; then
      disk_full "$apt/update.log" && die "the disk of $dir is full" "free some space, or point XDG_CACHE_HOME at a larger disk"
      tried="$tried
$mirror $suite: $(grep -m1 '^[EW]:' "$apt/update.log" || echo 'apt-get update failed')"
      continue
    fi
    has=$(APT_CONFIG=$apt/apt.conf apt-cache show --no-all-versions bazel-bootstrap 2>/dev/null | sed -n 's/^Version: //p')
    case $has in
      "$version" | "$version"[!0-9.]*) found=$suite; break 2 ;;
    esac
    tried="$tried
$mirror $suite: has Bazel ${has:-nowhere}, not $version"
  done
done
if [ -z "$found" ]; then
  say "error: no Debian mirror of this machine has Bazel $version; tried:"
  shown "$tried" | sed '/^$/d; s/^/bazelw:     /' >&2
  say "  if .bazelversion was changed, change it back; else name another mirror: HIPLOOM_DEB_MIRROR=http://MIRROR/debian"
  exit 1
fi

# shellcheck disable=SC2086 # a list of names
APT_CONFIG=$apt/apt.conf apt-get -q -y -o Debug::NoLocking=true -o Dir::Cache::archives="$apt/none" -o Acquire::ForceHash=SHA256 --print-uris install $packages >"$apt/uris" 2>"$apt/plan.log" || {
  cat "$apt/plan.log" >&2
  die "apt cannot resolve the packages of $here/packages.list in Debian $found" "see apt's words above; the mirror may be half-way through an update: try again later"
}
# Only on a machine without Go is Go's own default proxy needed, and Debian's Go knows it.
goproxy_from=
if ! command -v go >/dev/null 2>&1 && [ -z "${GOPROXY:-}" ]; then
  goproxy_from=$(APT_CONFIG=$apt/apt.conf apt-cache depends golang-go | sed -n 's/.*Depends: \(golang-[0-9.]*-go\)$/\1/p')
  APT_CONFIG=$apt/apt.conf apt-get -q -y -o Debug::NoLocking=true -o Dir::Cache::archives="$apt/none" -o Acquire::ForceHash=SHA256 --print-uris download "$goproxy_from" >>"$apt/uris" 2>/dev/null || goproxy_from=
fi
# name, size and SHA-256 of every file, from the signed list.
sed -n "s/^'[^']*' \\([^ ]*\\) \\([0-9]*\\) SHA256:\\([0-9a-f]*\\)\$/\\1 \\2 \\3/p" "$apt/uris" >"$apt/files"
total=$(awk '{ sum += $2 } END { print int(sum / 1048576) }' "$apt/files")
count=$(awk 'END { print NR }' "$apt/files")
[ "$count" -ge 100 ] || die "apt listed only $count packages with a SHA-256" "the mirror's package list is damaged: try again later, or name another mirror with HIPLOOM_DEB_MIRROR"

# What an earlier, interrupted set-up fetched is used again, but only if it is what it should be.
verify() {
  awk -v d="$apt/archives/" '{ print $3 "  " d $1 }' "$apt/files" | sha256sum --check --quiet 2>/dev/null | sed 's/: FAILED.*//'
}
for file in "$apt"/archives/*.deb; do [ -e "$file" ] || continue; verify | while IFS= read -r bad; do rm -f "$bad"; done; break; done
say "fetching $count packages, $total MB"
fetch() {
  # shellcheck disable=SC2086
  apt_get --download-only install $packages || return 1
  [ -z "$goproxy_from" ] || (cd "$apt/archives" && apt_get download "$goproxy_from")
}
if ! watch_growth "$apt/fetch.log" "of $total MB" "$apt/archives" fetch; then
  disk_full "$apt/fetch.log" && die "the disk of $dir is full" "free some space, or point XDG_CACHE_HOME at a larger disk"
  say "error: fetching packages from Debian $found failed:"
  grep -E '^(E|W|Err):?' "$apt/fetch.log" | sed 's/^/bazelw:     /' >&2
  say "  what arrived is kept; run the command again, or name another mirror: HIPLOOM_DEB_MIRROR=http://MIRROR/debian"
  exit 1
fi
bad=$(verify)
if [ -n "$bad" ]; then
  say "error: these packages are not what Debian signed, and are refused:"
  printf '%s\n' "$bad" | while IFS= read -r file; do
    say "    ${file##*/}"
    rm -f "$file"
  done
  die "damaged packages" "run the command again; if it happens again, the mirror is damaged: name another with HIPLOOM_DEB_MIRROR"
fi

say "unpacking $count packages"
rm -rf "$new"
mkdir -p "$new"
unpack() {
  # shellcheck disable=SC2016 # for the inner shell
  awk '{ print $1 }' "$apt/files" | grep -v '^golang-' | (cd "$apt/archives" && xargs -n 16 -P "$(nproc)" sh -c '
    for deb; do
      dpkg-deb --fsys-tarfile "$deb" | tar -x -f - -C "$0" --no-same-owner --no-same-permissions \
        --exclude="./usr/share/doc" --exclude="./usr/share/man" --exclude="./usr/share/locale" --exclude="./usr/share/info" \
        --exclude="./usr/share/lintian" --exclude="./usr/share/nodejs" --exclude="./usr/share/javascript" || exit 255
    done' "$new")
}
if ! watch_growth "$apt/unpack.log" "unpacked" "$new" unpack; then
  disk_full "$apt/unpack.log" && die "the disk of $dir is full" "free some space, or point XDG_CACHE_HOME at a larger disk"
  cat "$apt/unpack.log" >&2
  die "unpacking failed" "see above"
fi

# What the packages' install scripts would have done, as far as it matters here.
link() { [ -e "$new/usr/bin/$1" ] || ln -s "$2" "$new/usr/bin/$1"; }
link sh dash
link awk gawk
link cc gcc
link c++ g++
link which which.gnu
# shellcheck source=enter.sh
. "$here/enter.sh"
mkdir "$new$output_mount"
jvm=$(readlink -f "$new/usr/lib/jvm/default-java")
find "$jvm/" -type l -lname '/etc/*' | while IFS= read -r link; do
  target=$new$(readlink "$link")
  case $link in */jvm.cfg) target=$link-default ;; esac
  rm -f "$link"
  # The key store comes next; a setting whose file a package leaves out is one that Java does without.
  [ ! -f "$target" ] || cp "$target" "$link"
done

# Java trusts what this machine trusts.
certificates=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
mkdir -p "$apt/certificates" "$apt/keystore"
rm -f "$apt"/certificates/* "$apt"/keystore/*
if [ -r "$certificates" ]; then
  awk -v d="$apt/certificates" '/-BEGIN CERTIFICATE-/ { n++; f = sprintf("%s/%04d.crt", d, n) } f { print >f } /-END CERTIFICATE-/ { close(f); f = "" }' "$certificates"
else
  cp "$new"/usr/share/ca-certificates/mozilla/*.crt "$apt/certificates/"
fi
run_alone() { # BWRAP ARGUMENT...: in the tree, and nothing but the tree
  if [ "$1" = tree ]; then
    shift
    set -- "$new/usr/lib64/ld-linux-x86-64.so.2" --library-path "$new/usr/lib/x86_64-linux-gnu" "$new/usr/bin/bwrap" "$@"
  fi
  "$@"
}
bwrap=
for candidate in tree "$(command -v bwrap 2>/dev/null || :)"; do
  [ -n "$candidate" ] || continue
  if run_alone "$candidate" --bind / / --dev-bind /dev /dev --ro-bind "$new/usr" /usr -- /usr/bin/true 2>"$apt/bwrap.log"; then
    bwrap=$candidate
    break
  fi
done
[ -n "$bwrap" ] || {
  cat "$apt/bwrap.log" >&2
  die "bubblewrap cannot set up Bazel's root tree on this machine (its words are above)" \
    "user namespaces must be allowed to $(user): sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container: --security-opt seccomp=unconfined"
}
say "making Java's key store from $(find "$apt/certificates" -name '*.crt' | awk 'END { print NR }') certificates"
find "$apt/certificates" -name '*.crt' | sort | sed "s#^$apt/certificates/#+/certificates/#" |
  run_alone "$bwrap" --ro-bind "$new/usr" /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/bin /bin \
    --ro-bind /proc /proc --dev /dev --tmpfs /tmp --ro-bind "$apt/certificates" /certificates --bind "$apt/keystore" /etc/ssl/certs/java -- \
    /usr/lib/jvm/default-java/bin/java -Xmx64m -jar /usr/share/ca-certificates-java/ca-certificates-java.jar -storepass changeit >"$apt/keystore.log" 2>&1 ||
  { cat "$apt/keystore.log" >&2; die "Java's key store could not be made from $certificates" "see above"; }
cp "$apt/keystore/cacerts" "$jvm/lib/security/cacerts"

got=$(run_alone "$bwrap" --bind / / --dev-bind /dev /dev --ro-bind "$new/usr" /usr -- /usr/bin/bazel --install_base=/usr/share/bazel --trust_install_base --version 2>&1) || :
[ "$got" = "bazel $version" ] || die "the Bazel of the new root tree does not run: $got" "report this, with the output of ./bazelw --doctor"
printf '%s\n' "$bwrap" >"$new/bwrap"
: >"$new/goproxy"
[ -z "$goproxy_from" ] || {
  dpkg-deb --fsys-tarfile "$apt"/archives/golang-*-go_*.deb | tar -xO -f - --wildcards '*/go.env' | sed -n 's/^GOPROXY=//p' >"$new/goproxy"
}
mv "$new" "$tree"
rm -rf "$apt"
