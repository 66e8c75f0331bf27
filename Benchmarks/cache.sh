#!/usr/bin/env bash
# Prints the costs of the HTTP cache: a hit in the SQLite store compared with SQLite's C functions, a hit in memory, and
# a miss compared with the same request without a cache.
set -euo pipefail
cd "$(dirname "$0")"

swift build -c release --product HTTPCacheBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/HTTPCacheBenchmark
work=$(mktemp -d)
. ./servers.sh

"$bench" hits
start origin origin
"$bench" misses "$port"
