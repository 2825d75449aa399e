#!/bin/sh
# Installs the tapedeck command of this folder, its man pages and its completions.
#   ./install.sh                    into /usr/local
#   ./install.sh --prefix FOLDER    elsewhere, without root: --prefix ~/.local
#   ./install.sh --uninstall [--prefix FOLDER]
set -eu

fail() { echo "install.sh: $*" >&2; exit 1; }

usage() { sed -n '2,5s/^# //p' "$0"; }

prefix=/usr/local uninstall=no
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) [ -n "${2:-}" ] || fail "--prefix needs a folder"; prefix=$2; shift ;;
    --prefix=?*) prefix=${1#--prefix=} ;;
    --uninstall) uninstall=yes ;;
    --help | -h) usage; exit 0 ;;
    *) echo "install.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done
case "$prefix" in
  /*) ;;
  "~/"*) prefix=$HOME/${prefix#"~/"} ;;
  *) prefix=$PWD/$prefix ;;
esac
script=$0
cd "$(dirname "$0")"
# What an installation put there, by whole paths: its files, then the folders that it made, the deepest first.
list=$prefix/share/tapedeck/installed

within_prefix() { while IFS= read -r path; do printf '%s\n' "$prefix/$path"; done; }

remove() {
  listed=$(cat "$list")
  printf '%s\n' "$listed" | while IFS= read -r path; do
    if [ -d "$path" ] && [ ! -L "$path" ]; then
      # A folder that holds something else by now stays.
      rmdir "$path" 2>/dev/null || true
    else
      rm -f "$path"
    fi
  done
}

# Says what the loader misses, and ends.
check_libraries() {
  missing=$(ldd bin/tapedeck 2>&1 | sed -n '/not found/s/^[[:space:]]*//p') || true
  if ldd --version 2>&1 | grep -qi musl || ! command -v ldd >/dev/null; then
    fail "this command is built for glibc, which Alpine and other systems with musl lack; use the container image there"
  fi
  [ -n "$missing" ] || return 0
  echo "tapedeck cannot start here. The loader says:" >&2
  printf '%s\n' "$missing" | sed 's/^/  /' >&2
  case "$missing" in
    *GLIBC_* | *GLIBCXX_*) fail "this system is older than the one tapedeck was built on; use the container image" ;;
  esac
  cat >&2 <<END
Install what is missing, and run this again:
  Debian, Ubuntu   apt-get install ca-certificates libbrotli1 libcurl4 libssl3 libstdc++6 libyaml-0-2 libzstd1 zlib1g
  Fedora           dnf install ca-certificates brotli libcurl libstdc++ libyaml libzstd openssl-libs zlib
  Alpine           has musl and not glibc: use the container image
END
  exit 1
}

check_writable() {
  folder=$prefix
  while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
  [ -d "$folder" ] || fail "$folder is not a folder"
  for each in "$folder" "$prefix/bin" "$prefix/share"; do
    if [ -e "$each" ] && [ ! -w "$each" ]; then
      fail "$each is not writable. Run this as root (sudo $script), or install elsewhere: $script --prefix ~/.local"
    fi
  done
}

if [ "$uninstall" = yes ]; then
  [ -f "$list" ] || fail "$prefix has no tapedeck that this script installed; is it below another --prefix?"
  check_writable
  remove
  echo "Removed tapedeck from $prefix"
  exit 0
fi

check_libraries
check_writable
if [ -f "$list" ]; then
  remove
elif [ -e "$prefix/bin/tapedeck" ]; then
  fail "$prefix/bin/tapedeck was not installed by this script; remove it first, or choose another --prefix"
fi

files=$(find bin share -type f)
# Only folders that are not there yet: an uninstallation leaves the others alone.
folders=$(
  printf '%s\n' "$prefix" "$prefix/share/tapedeck"
  find bin share -type d | within_prefix
)
made=$(printf '%s\n' "$folders" | LC_ALL=C sort -r | while IFS= read -r folder; do
  [ -d "$folder" ] || printf '%s\n' "$folder"
done)
mkdir -p "$prefix/share/tapedeck"
{ printf '%s\n' "$files" | within_prefix && printf '%s\n' "$list" "$made"; } >"$list"
printf '%s\n' "$files" | while IFS= read -r file; do
  mkdir -p "$prefix/$(dirname "$file")"
  cp "$file" "$prefix/$file"
done

echo "Installed $("$prefix/bin/tapedeck" --version | cut -d' ' -f1,2) in $prefix"
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "$prefix/bin is not in PATH. Add it in your shell's profile: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
[ "$prefix" = /usr/local ] || echo "Completion in zsh: add $prefix/share/zsh/site-functions to fpath, before compinit"
