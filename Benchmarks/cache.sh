#!/usr/bin/env bash
# Prints the costs of the HTTP cache: a hit in memory, a validated response, and a miss compared with the same request
# without a cache.
set -euo pipefail
cd "$(dirname "$0")"

swift build -c release --product HTTPCacheBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/HTTPCacheBenchmark
work=$(mktemp -d)
. ./servers.sh

"$bench" hits
start origin origin
"$bench" misses "$port"
