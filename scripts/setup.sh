#!/usr/bin/env bash
# Installs the named Debian packages that are missing: scripts/setup.sh PACKAGE... Prints nothing if all are installed.
set -euo pipefail

if ! command -v swift >/dev/null; then
    echo "Swift is not on the PATH. Install Swift 6.3 or later: https://www.swift.org/install/linux/" >&2
    exit 1
fi

missing=()
for package in "$@"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing from Debian: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Cannot install ${missing[*]}: run this command as root, or install sudo." >&2; exit 1; }
    as_root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null
