#!/bin/sh
# Way 3: brings what comes through the Go module proxy: the official Go toolchain, the modules that go.sum names,
# and from these the Bazel modules rules_go and gazelle. Adds only what is missing.
# usage: modules.sh ROOT TREE DIR
set -eu
umask 022
root=$1 tree=$2 dir=$3
here=$root/tools/bazelw/mirror

# shellcheck source=../say.sh
. "$root/tools/bazelw/say.sh"
in_tree() {
  program=$1
  shift
  "$tree/usr/lib64/ld-linux-x86-64.so.2" --library-path "$tree/usr/lib/x86_64-linux-gnu" "$tree/usr/bin/$program" "$@"
}

job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null || :; exit 130' INT TERM HUP
# shellcheck source=watch.sh
. "$here/watch.sh"

# The Go toolchain's version and hash are in MODULE.bazel, which is their only home.
go_version=$(sed -n 's/^GO_VERSION = "\(.*\)"$/\1/p' "$root/MODULE.bazel")
sha256=$(sed -n 's/.*"linux-amd64": "\([0-9a-f]\{64\}\)".*/\1/p' "$root/MODULE.bazel")
archive=v0.0.1-go$go_version.linux-amd64.zip
if [ -z "$go_version" ] || [ -z "$sha256" ]; then
  die "MODULE.bazel names no Go toolchain for linux-amd64" "restore go_sdk.download there"
fi
version_in_module_file() { sed -n "s/.*bazel_dep(name = \"$1\", version = \"\\([^\"]*\\)\".*/\\1/p" "$root/MODULE.bazel"; }

# The addresses that this machine's Go would ask.
proxies=${GOPROXY:-}
[ -n "$proxies" ] || proxies=$(go env GOPROXY 2>/dev/null) || proxies=
[ -n "$proxies" ] || proxies=$(cat "$tree/goproxy")
[ -n "$proxies" ] || proxies=direct
printf '%s\n' "$proxies" >"$dir/goproxy"

# The go command's own notation: ",", "|" between addresses, and words like direct.
sites=$(printf '%s' "$proxies" | tr ',|' '[\n*]' | sed 's#/*$##' | grep -E '^(https?|file)://' || :)

mkdir -p "$dir/archives" "$dir/modules" "$dir/gomod"
sha256_of() { sha256sum <"$1" | cut -d' ' -f1; }
if [ ! -f "$dir/archives/$archive" ]; then
  say "fetching the Go toolchain $archive (70 MB)"
  rm -rf "$dir/archive.new"
  mkdir "$dir/archive.new"
  got=''
  for site in $sites https://go.dev/dl/mod; do
    url=$site/golang.org/toolchain/@v/$archive
    case $url in
      file://*) cp "${url#file://}" "$dir/archive.new/$archive" 2>/dev/null || continue ;;
      *)
        # apt's own downloader: always there, and it knows the machine's network settings.
        watch_growth "$dir/archive.new/log" "of 70 MB" "$dir/archive.new" \
          /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(user)" -o Acquire::Retries=3 download-file "$url" "$dir/archive.new/$archive" || continue
        ;;
    esac
    got=$(sha256_of "$dir/archive.new/$archive")
    [ "$got" != "$sha256" ] || break
    say "error: $archive from $(shown "$url") has SHA-256 $got, not the $sha256 of MODULE.bazel: refused"
  done
  if [ "$got" != "$sha256" ]; then
    cat "$dir/archive.new/log" >&2 2>/dev/null || :
    die "the Go toolchain $archive could not be had from: $(shown "$sites" | tr '\n' ' ') https://go.dev/dl/mod" \
      "check the network, or name a Go module proxy: GOPROXY=https://PROXY ./bazelw ..."
  fi
  mv "$dir/archive.new/$archive" "$dir/archives/$archive"
  rm -rf "$dir/archive.new"
fi

go_sum=$(sha256_of "$root/go.sum")
recipe=$(cat "$here/modules.sh" "$here/modules.list" | sha256sum | cut -c1-8)
done_mark=$dir/gomod/done-$go_sum-$recipe
missing=
while read -r module kind place; do
  [ "$kind" = go ] || continue
  name=$module-$(version_in_module_file "$module")
  [ -d "$dir/modules/$name-$recipe" ] || missing="$missing $name=$place@v${name#"$module-"}"
done <<LIST
$(sed 's/#.*//' "$here/modules.list")
LIST
[ -f "$done_mark" ] && [ -z "$missing" ] && exit 0

say "unpacking the Go toolchain, to fetch Go modules with"
rm -rf "$dir/go.new" "$dir/module.new"
mkdir "$dir/go.new" "$dir/module.new"
watch_growth "$dir/module.new/log" "unpacked" "$dir/go.new" in_tree unzip -q "$dir/archives/$archive" -d "$dir/go.new" || {
  cat "$dir/module.new/log" >&2
  die "$dir/archives/$archive cannot be unpacked" "see above; remove it and run this again"
}
sdk=$(echo "$dir"/go.new/golang.org/toolchain@*)
chmod +x "$sdk"/bin/go "$sdk"/pkg/tool/*/*
run_go() {
  (cd "$1" && shift && GOROOT=$sdk GOPROXY=$proxies GOTOOLCHAIN=local GOWORK=off GOFLAGS=-modcacherw CGO_ENABLED=0 \
    GOMODCACHE=$dir/gomod GOCACHE=$dir/go.new/cache "$sdk/bin/go" "$@")
}

say "fetching the Go modules that go.sum names"
cp "$root/go.mod" "$root/go.sum" "$dir/module.new/"
download() { run_go "$dir/module.new" mod download -json >"$dir/module.new/modules"; }
if ! watch_growth "$dir/module.new/log" "Go modules" "$dir/gomod" download; then
  say "error: Go modules could not be fetched through GOPROXY=$(shown "$proxies"):"
  # Go names the module beside its error, not always in it.
  sed -n 's/^\t"\(Path\|Version\|Error\)": "\(.*\)",\{0,1\}$/\1 \2/p' "$dir/module.new/modules" |
    awk '$1 == "Path" { path = $2 } $1 == "Version" { version = $2 } $1 == "Error" { sub(/^Error /, ""); print "bazelw:     " path "@" version ": " $0 }' >&2
  grep -v '^go: downloading' "$dir/module.new/log" >&2 || :
  say "  run it again; if it is the same module again, that proxy's copy is damaged: name another with GOPROXY"
  exit 1
fi
cmp -s "$root/go.sum" "$dir/module.new/go.sum" || die "go.sum does not cover every module of go.mod, so they cannot be verified" "run 'go mod tidy' and commit go.sum"

for entry in $missing; do
  name=${entry%%=*} at=${entry#*=}
  say "preparing the Bazel module $name"
  place=${at%@*}
  rm -rf "$dir/module.new/$name"
  run_go "$dir/module.new" list -m -f '{{.Version}} {{.Dir}}' "$place" >"$dir/module.new/found" 2>/dev/null || :
  read -r found_version found_dir <"$dir/module.new/found" || :
  [ "$found_version" = "${at#*@}" ] ||
    die "MODULE.bazel asks for ${at}, and go.mod for ${found_version:-none}" "give both the same version, so that go.sum can vouch for it"
  cp -R "$found_dir" "$dir/module.new/$name"
  chmod -R u+w "$dir/module.new/$name"
  # Module archives carry no permission bits, no vendored packages, and tests that need modules of their own.
  find "$dir/module.new/$name" -name '*.sh' -exec chmod +x {} +
  rm -rf "$dir/module.new/$name/tests" "$dir/module.new/$name/testdata"
  case $name in
    gazelle-*)
      run_go "$dir/module.new/$name" mod vendor >&2 || die "gazelle's own modules could not be fetched through GOPROXY=$(shown "$proxies")" "see above; check the network and run this again"
      ;;
    rules_go-*)
      # Its own default toolchain would be looked up on the web; MODULE.bazel brings one.
      sed '/^go_sdk\.from_file($/,/^)$/d' "$dir/module.new/$name/MODULE.bazel" >"$dir/module.new/edited"
      cp "$dir/module.new/edited" "$dir/module.new/$name/MODULE.bazel"
      ;;
  esac
  mv "$dir/module.new/$name" "$dir/modules/$name-$recipe"
  rm -rf "$dir/modules/$name"
  ln -s "$name-$recipe" "$dir/modules/$name"
done
: >"$done_mark"
# The archives below cache/download are what Bazel reads; what go unpacked from them is not needed any more.
find "$dir/gomod" -mindepth 1 -maxdepth 1 ! -name cache ! -name 'done-*' -exec rm -rf {} +
rm -rf "$dir/go.new" "$dir/module.new"
