#!/bin/sh
# What a HIP compile costs through Bazel, and through the toolchain's own loader, beside the bare command.
# usage: tests/bench/compile_overhead.sh [ROUNDS]. Each round runs all of them, so that a busy machine slows all alike.
set -eu
rounds=${1:-10}
cd "$(dirname "$0")/../.."

target=//toolchains/rocm/tests:kernel-gfx1100
object=bazel-bin/toolchains/rocm/tests/kernel-gfx1100.o
hip=bazel-bin/toolchains/rocm/tests/kernel-gfx1100.hip
./bazelw build "$target" 2>/dev/null
first=$(./bazelw cquery --output=files @rocm//:headers 2>/dev/null | head -n 1)
tree=$(./bazelw info output_base 2>/dev/null)/$(echo "$first" | cut -d/ -f1-2)
libraries=$tree/usr/lib/x86_64-linux-gnu
llvm=$(echo "$tree"/usr/lib/llvm-*)
resource=$(echo "$llvm"/lib/clang/*)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The link may point where only Bazel sees it, and the next round's build removes it.
cp "$hip" "$work/kernel.hip"

# The root tree in which bazelw runs Bazel: its C library is new enough for the bare command, which most hosts' is not.
root=$(./bazelw --doctor | sed -n 's/^tree *//p')
[ -n "$root" ] || { echo "compile_overhead: needs way 3 of bazelw: HIPLOOM_BAZELW_WAY=mirror $0" >&2; exit 1; }
compile() { # HOW: with the flags that Bazel's action has
  how=$1
  set -- -no-canonical-prefixes -resource-dir "$resource" "--rocm-path=$tree/usr" "--rocm-device-lib-path=$resource/amdgcn/bitcode" \
    "--sysroot=$tree" "--gcc-install-dir=$(echo "$tree"/usr/lib/gcc/x86_64-linux-gnu/*)" --offload-arch=gfx1100 -x hip \
    --offload-device-only --no-gpu-bundle-output -fhip-emit-relocatable -fuse-cuid=none -O3 -c "$work/kernel.hip" -o "$work/kernel.o"
  "$how" "$@"
}
inside() { # in a root in which the compiler's libraries are the system's
  "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/bwrap" \
    --bind / / --dev-bind /dev /dev --ro-bind "$root/usr" /usr "$@"
}
bare() { inside --setenv LD_LIBRARY_PATH "$libraries" -- "$llvm/bin/clang" "$@"; }
loaded() { inside -- "$libraries/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$libraries" --argv0 clang "$llvm/bin/clang" "$@"; }
through_bazel() {
  chmod u+w "$object"
  rm -f "$object"
  ./bazelw build --jobs=1 "$target" 2>/dev/null
}
nothing() { ./bazelw build --jobs=1 "$target" 2>/dev/null; }

now() { date +%s%N; }
total_bare=0 total_loaded=0 total_bazel=0 total_nothing=0
i=0
while [ "$i" -lt "$rounds" ]; do
  a=$(now)
  compile bare
  b=$(now)
  compile loaded
  c=$(now)
  through_bazel
  d=$(now)
  nothing
  e=$(now)
  total_bare=$((total_bare + b - a))
  total_loaded=$((total_loaded + c - b))
  total_bazel=$((total_bazel + d - c))
  total_nothing=$((total_nothing + e - d))
  i=$((i + 1))
done
report() { printf '%-52s %6d ms  %d.%02d of the bare command\n' "$1" $(($2 / rounds / 1000000)) $(($2 / total_bare)) $(($2 * 100 / total_bare % 100)); }
report "bare command" "$total_bare"
report "through the toolchain's own loader" "$total_loaded"
report "through Bazel, sandbox and call of bazelw included" "$total_bazel"
report "the same less a build that has nothing to do" $((total_bazel - total_nothing))
