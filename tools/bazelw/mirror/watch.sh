# Lets nobody wait in silence. Sourced.
# shellcheck shell=sh

# Runs a command in the background, its output to a log, and says every few seconds how far a file or directory has grown.
# usage: watch_growth LOG WHAT PATH COMMAND...; while it runs, $job is its process.
watch_growth() {
  log=$1 what=$2 grows=$3
  shift 3
  "$@" >"$log" 2>&1 &
  job=$!
  waited=0
  while kill -0 "$job" 2>/dev/null; do
    sleep 0.2
    waited=$((waited + 1))
    [ $((waited % 15)) != 0 ] || say "  $what: $(du -sm "$grows" 2>/dev/null | cut -f1) MB"
  done
  status=0
  wait "$job" || status=$?
  job=
  return "$status"
}
