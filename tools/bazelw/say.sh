# How bazelw speaks: on standard error, each line with its name. Sourced by every part of it.
# shellcheck shell=sh

say() { printf 'bazelw: %s\n' "$*" >&2; }

# What happened, then what to do about it, a line an argument.
die() {
  say "error: $1"
  shift
  for line in "$@"; do say "  $line"; done
  exit 1
}

# Who runs this; not every user has a name.
user() { id -un 2>/dev/null || id -u; }

# usage: make_writable DIRECTORY: makes it, or says who cannot write.
make_writable() {
  if ! mkdir -p "$1" 2>/dev/null || [ ! -w "$1" ]; then
    die "cannot write to $1" "point XDG_CACHE_HOME at a directory that $(user) may write to"
  fi
}

# Addresses as they may be shown: without the password that one may hold.
shown() { printf '%s' "$*" | sed 's#//[^/@,| ]*@#//***@#g'; }
