#!/usr/bin/env bash
# Starts a server that prints its address, and checks that it meets the contract of a service: scripts/service.sh PROGRAM
# The tests must have been built.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
"$1" >"$work/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 200); do
    url=$(grep -m 1 -o '^http://[^ ]*' "$work/server.log" || true)
    [ -z "$url" ] || break
    kill -0 $server 2>/dev/null || break
    sleep 0.05
done
[ -n "$url" ] || { echo "✗ $1 does not print its address:" >&2; cat "$work/server.log" >&2; exit 1; }
DUET_SERVICE_URL=$url swift test --traits "${TRAITS:?}" --skip-build --filter 'ServiceContractTests.*another server'
