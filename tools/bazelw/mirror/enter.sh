# Runs a program inside the root tree: the tree's /usr over the host's, all else as it is.
# Sourced; usage: enter_tree TREE BWRAP OUTPUT PROGRAM [ARGUMENT...]. BWRAP is "tree" or the path of the host's; OUTPUT,
# if not empty, is a directory to be seen at output_mount.
# shellcheck shell=sh

# Where an output directory whose own path has spaces is seen: Go and others cannot build below such a path.
output_mount=/usr/lib/hiploom-output

enter_tree() {
  _tree=$1 _bwrap=$2 _output=$3
  shift 3
  set -- --chdir "$PWD" -- "$@"
  [ -z "$_output" ] || set -- --bind "$_output" "$output_mount" "$@"
  # On hosts whose /lib and the like are no links into /usr, those are covered too.
  for _dir in bin sbin lib lib64; do
    [ -h "/$_dir" ] || set -- --ro-bind "$_tree/usr/$_dir" "/$_dir" "$@"
  done
  set -- --bind / / --dev-bind /dev /dev --ro-bind "$_tree/usr" /usr "$@"
  if [ "$_bwrap" = tree ]; then
    exec "$_tree/usr/lib64/ld-linux-x86-64.so.2" --library-path "$_tree/usr/lib/x86_64-linux-gnu" "$_tree/usr/bin/bwrap" "$@"
  fi
  exec "$_bwrap" "$@"
}
