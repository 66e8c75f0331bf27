#!/usr/bin/env bash
# Prints the costs of a cluster on NATS, with one server on this machine, compared with libnats alone.
#     cluster.sh [process|queries|commands|invalidations …]
set -euo pipefail
cd "$(dirname "$0")"

command -v nats-server >/dev/null || { echo "nats-server is missing: apt-get install nats-server" >&2; exit 1; }
swift build -c release --product ClusterBenchmark --quiet
bin=$(swift build -c release --show-bin-path)
work=$(mktemp -d)
nats-server --addr 127.0.0.1 --port -1 --jetstream --store_dir "$work/store" --ports_file_dir "$work" \
    >"$work/server.log" 2>&1 &
server=$!
trap '{ kill "$server" && wait "$server"; } 2>/dev/null || true; rm -rf "$work"' EXIT
until ports=$(cat "$work"/nats-server_*.ports 2>/dev/null) && [ -n "$ports" ]; do sleep 0.05; done
timeout 300 "$bin/ClusterBenchmark" "$(grep -o 'nats://[^"]*' <<<"$ports")" "$@"
