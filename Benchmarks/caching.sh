#!/usr/bin/env bash
# usage: caching.sh [BUILD OPTION...]    --traits Caching builds the cache alone
#
# Prints the costs of a cached query: time compared with a dictionary and NSCache, with two threads, allocations, and
# memory.
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
swift build -c release --product CachingBenchmark --quiet "$@"
bench=$(swift build -c release --show-bin-path "$@")/CachingBenchmark

"$bench"
"$bench" memory

# Valgrind 3.19 cannot read all debug information of Swift.
plain=$(mktemp)
trap 'rm -f "$plain"' EXIT
strip --strip-debug -o "$plain" "$bench"
chmod +x "$plain"

# Each round is a thousand hits.
for rounds in 1 21; do
    valgrind --tool=memcheck --leak-check=no --undef-value-errors=no "$plain" hits $rounds 2>&1 |
        awk '/total heap usage/ { gsub(",", ""); print $5 }'
done | paste -sd' ' | awk 'NF < 2 { print "Valgrind has counted nothing." > "/dev/stderr"; exit 1 } {
    count = ($2 - $1) / 20000
    printf "= allocations of a hit|%.2f|<= 1|%s\n", count, count <= 1 ? "met" : "MISSED"
}'
