#!/usr/bin/env bash
# Runs the public tests of the RealWorld specification (https://github.com/realworld-apps/realworld, specs/api/hurl)
# against the server, with a new database.
#
# usage: test.sh FOLDER
#
# FOLDER has the Hurl files. Hurl is at https://hurl.dev.
set -euo pipefail

if [ -z "$(compgen -G "${1-}/*.hurl")" ]; then
    echo "usage: test.sh FOLDER; FOLDER has the Hurl files of https://github.com/realworld-apps/realworld" >&2
    exit 2
fi
command -v hurl >/dev/null || { echo "Hurl is missing. Install it: https://hurl.dev/docs/installation.html" >&2; exit 1; }
suite=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
.build/debug/realworld serve --port 0 --database "$work/realworld.sqlite" >"$work/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null && wait "$server" || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
for _ in $(seq 100); do grep -q "The API is at" "$work/log" && break || sleep 0.1; done
host=$(sed -n 's|^The API is at \(.*\)/api$|\1|p' "$work/log")
[ -n "$host" ] || { cat "$work/log" >&2; exit 1; }

hurl --test --variable "host=$host" --variable "uid=$$" "$suite"/*.hurl
