# Runs a program inside the root tree: the tree's /usr over the host's, all else as it is.
# Sourced; usage: enter_tree TREE BWRAP PROGRAM [ARGUMENT...]. BWRAP is "tree" or the path of the host's.
# shellcheck shell=sh

enter_tree() {
  _tree=$1 _bwrap=$2
  shift 2
  set -- --chdir "$PWD" -- "$@"
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
