#!/usr/bin/env bash
# Builds the benchmarks in release, runs each, and prints one table of all figures.
#
# usage: run.sh [dispatch] [container] [stores] [decoding] [backend] [http] [cache] [caching] [eviction]    by default all of them
set -euo pipefail
cd "$(dirname "$0")"
source ../scripts/traits.env

dispatch() {
    echo "Dispatch beside a direct call: two minutes."
    ./dispatch.sh
}

container() {
    echo "Building a container, making scopes, and resolving with many tasks: five seconds."
    "$bin/ContainerBenchmark"
}

stores() {
    echo "Saving and loading the feed beside SQLite code by hand: ten seconds."
    "$bin/StoresBenchmark"
}

decoding() {
    echo "Decoding the feed beside JSONDecoder alone: ten seconds."
    "$bin/DecodingBenchmark"
}

backend() {
    echo "A page of the feed beside a Hummingbird route by hand: five minutes."
    ./backend.sh
}

http() {
    echo "Messages over HTTP beside AsyncHTTPClient and Hummingbird by hand: one and a half minutes."
    ./http.sh
}

cache() {
    echo "Hits and misses of the HTTP cache, in comparison with SQLite's C functions and no cache: half a minute."
    ./cache.sh
}

caching() {
    echo "Cached queries beside a dictionary, NSCache and no cache: twenty seconds."
    ./caching.sh
}

eviction() {
    echo "Hit ratios of the query cache's eviction policies on traces: ten seconds."
    ./eviction.sh
}

parts=("$@")
[ $# -gt 0 ] || parts=(dispatch container stores decoding backend http cache caching eviction)
for part in "${parts[@]}"; do
    case $part in
    dispatch | container | stores | decoding | backend | http | cache | caching | eviction) ;;
    *) echo "There is no part named $part; there are dispatch, container, stores, decoding, backend, http, cache, caching and eviction." >&2 && exit 2 ;;
    esac
done

# Whatever the parts leave behind when they are interrupted is removed with this folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

echo "Building in release: up to ten minutes the first time, seconds afterwards."
swift build -c release --quiet
bin=$(swift build -c release --show-bin-path)

# A part's lines that begin with "= " are its figures, which are kept for the table at the end.
for part in "${parts[@]}"; do
    echo
    "$part" | tee -a "$work/output" | sed '/^= /d'
done

echo
sed -n 's/^= //p' "$work/output" | awk -F'|' '
    BEGIN { format = "%-68s %9s %8s  %s\n"; printf format, "figure, a ratio taken in one run unless it has a unit", "measured", "limit", "" }
    { printf format, $1, $2, $3, $4 }
'
