# ./bazelw --doctor: says which way bazelw takes and why, without setting anything up. Sourced by bazelw.
# shellcheck shell=sh disable=SC2154 # root, version, cache and state come from bazelw
row() { printf '%-10s %s\n' "$1" "$2"; }

row bazelw "$root/bazelw"
row version "$version, as $root/.bazelversion asks"
row state "$cache$([ -d "$cache" ] && { [ -w "$cache" ] && printf ' (%s)' "$(du -sh "$state" 2>/dev/null | cut -f1)" || printf ' (not writable!)'; } || printf ' (nothing there yet)')"
row system "$(uname -s) $(uname -m)$(. /etc/os-release 2>/dev/null && printf ', %s' "$PRETTY_NAME"), as $(user)"

# Look again rather than believe what an earlier call remembered.
rm -f "$state/versions" 2>/dev/null || :
first=''
if (find_on_path) 2>/dev/null && find_on_path; then
  row "way 1" "yes: $bazel is version $version"
  first=path
else
  (find_on_path >/dev/null) || :
  find_on_path 2>/dev/null || :
  row "way 1" "no: ${why:-HIPLOOM_BAZEL is wrong}"
fi
registry=no
if registry_answers; then
  row "way 2" "yes: the public registry answers; bazelisk is $([ -x "$state/release/bazelisk" ] && echo set up || echo 'not set up yet')"
  registry=yes
else
  row "way 2" "no: $why"
fi

mirror_rc
missing=
for tool in apt-get apt-config dpkg-deb flock sha256sum tar awk; do command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"; done
if [ -f "$rc" ] && read_mirror_rc; then
  row "way 3" "yes: set up for the workspace $workspace"
  third=ready
elif [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
  row "way 3" "no: Debian has no Bazel for $(uname -s) on $(uname -m)"
  third=no
elif [ -n "$missing" ]; then
  row "way 3" "no: missing here:$missing"
  third=no
elif [ "$(id -u)" != 0 ] && ! unshare --user true 2>/dev/null && ! command -v bwrap >/dev/null 2>&1; then
  row "way 3" "no: $(user) may not create user namespaces"
  third=no
else
  row "way 3" "possible: not set up yet for the workspace $workspace (the next command does it: 350 MB to download, 1 GB on disk)"
  third=possible
fi

remembered=
[ ! -r "$state/way" ] || IFS= read -r remembered <"$state/way" || :
chosen='' reason=''
if [ -n "${HIPLOOM_BAZELW_WAY:-}" ]; then
  chosen=$HIPLOOM_BAZELW_WAY reason="HIPLOOM_BAZELW_WAY says so"
elif [ -n "$first" ]; then
  chosen=path reason="the first way that works"
elif [ "$remembered" = release ] || [ "$remembered" = mirror ]; then
  chosen=$remembered reason="it worked before (remove $state/way to choose again)"
elif [ "$registry" = yes ]; then
  chosen=release reason="the first way that works"
elif [ "$third" != no ]; then
  chosen=mirror reason="the first way that works"
fi

case $chosen in
  path)
    row chosen "1 ($bazel): $reason"
    [ "$registry" = yes ] || row note "the public registry does not answer, so modules come from caches only; HIPLOOM_BAZELW_WAY=mirror takes way 3 instead"
    ;;
  release) row chosen "2 (official release through bazelisk): $reason" ;;
  mirror)
    row chosen "3 (Debian's Bazel, modules without a registry): $reason"
    if [ "$third" = ready ]; then
      row tree "$tree"
      row bwrap "$([ "$bwrap" = tree ] && echo "$tree/usr/bin/bwrap" || echo "$bwrap")"
      row rc "$rc"
      row bazel "$tree/usr/bin/bazel ($(cat "$tree/usr/share/bazel/build-label.txt"))"
      row java "$(readlink -f "$tree/usr/lib/jvm/default-java")"
      row cc "$tree/usr/bin/gcc ($("$tree/usr/lib64/ld-linux-x86-64.so.2" --library-path "$tree/usr/lib/x86_64-linux-gnu" "$tree/usr/bin/gcc" -dumpfullversion))"
      row go "$(echo "$state"/mirror/archives/*.linux-amd64.zip)"
      sandbox=no
      # shellcheck source=mirror/enter.sh
      . "$mirror/enter.sh"
      (enter_tree "$tree" "$bwrap" "$output" /usr/share/bazel/linux-sandbox -- /usr/bin/true) >/dev/null 2>&1 && sandbox=yes
      row sandbox "$([ $sandbox = yes ] && echo linux-sandbox || echo 'processwrapper-sandbox: this kernel does not allow linux-sandbox')"
      others=$(find "$state/mirror" -maxdepth 1 -name 'root-*' ! -path "$tree" 2>/dev/null | awk 'END { print NR }')
      [ "$others" = 0 ] || row note "$others other root trees of about 0.9 GB are below $state/mirror; those of no checkout of yours can be removed"
      grep -o 'override_module=[^"]*' "$rc" | sed 's/^override_module=//; s/=/ from /' | sort | while IFS= read -r line; do row module "$line"; done
    fi
    ;;
  '')
    row chosen "none works here"
    row cure "install Bazel $version, or connect to a network that reaches the public registry or a Debian mirror"
    exit 1
    ;;
esac
exit 0
