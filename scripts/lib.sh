# Shared by the scripts beside it, which source it. It sets `root` and works from there.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

# Progress goes to standard error, so that standard output has only the results of a script.
say() { printf '\n==> %s\n' "$*" >&2; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# Lists the packages of scripts/packages.txt and of the arguments that dpkg does not know as installed.
missing_packages() {
  local package
  for package in $(sed 's/#.*//' scripts/packages.txt) "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# Installs missing packages. If none are missing, it needs no network and no rights.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "No apt-get here: going on with what is installed (the list of needs is scripts/packages.txt)"
    return
  fi
  local missing sudo=()
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && { say "Packages: all installed"; return; }
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "Packages are missing and this is neither root nor a machine with sudo. As root: apt-get install" $missing
    sudo=(sudo)
  fi
  say "Installing packages:" $missing
  "${sudo[@]}" apt-get update -q >&2
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >&2
}

# configure_and_build PRESET [build arguments]
configure_and_build() {
  local preset=$1
  shift
  say "Configuring (build/$preset)"
  cmake --preset "$preset" >&2
  say "Building with $jobs jobs"
  cmake --build --preset "$preset" --parallel "$jobs" "$@" >&2
}
