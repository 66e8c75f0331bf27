#!/usr/bin/env bash
# Builds the benchmarks in release, runs them, and prints one table of all figures.
#
# usage: run.sh [dispatch] [container] [stores] [decoding] [backend] [page] [http] [layers] [cache] [caching] [invalidation] [eviction] [cluster]    by default all of them
set -euo pipefail
cd "$(dirname "$0")"
source ../scripts/traits.env

dispatch() {
    echo "Dispatch, compared with a direct call: two minutes."
    ./dispatch.sh
}

container() {
    echo "Building a container, creating scopes, and resolving in many tasks: five seconds."
    "$bin/ContainerBenchmark"
}

stores() {
    echo "Saving and loading the feed, compared with hand-written SQLite code: ten seconds."
    "$bin/StoresBenchmark"
}

decoding() {
    echo "Decoding the feed, compared with JSONDecoder alone: ten seconds."
    "$bin/DecodingBenchmark"
}

backend() {
    echo "A page of the feed, with and without telemetry, compared with a hand-written Hummingbird route: seven minutes."
    ./backend.sh
}

page() {
    echo "The first page, compared with a hand-written route, and live pages: two minutes."
    ./page.sh
}

http() {
    echo "Messages over HTTP, compared with hand-written AsyncHTTPClient and Hummingbird code: one and a half minutes."
    ./http.sh
}

layers() {
    echo "The cost of each layer of a server: seven minutes."
    ./layers.sh
}

cache() {
    echo "Hits and misses of the HTTP cache, compared with no cache: half a minute."
    ./cache.sh
}

caching() {
    echo "Cached queries, compared with a dictionary, NSCache and no cache: twenty seconds."
    ./caching.sh
}

invalidation() {
    echo "Values that writes make stale without a rule, and the cost of knowing: five minutes."
    "$bin/InvalidationBenchmark"
}

eviction() {
    echo "Hit ratios of the query cache on traces: ten seconds."
    ./eviction.sh
}

cluster() {
    echo "A cluster on NATS, compared with libnats: half a minute."
    ./cluster.sh
}

parts=("$@")
[ $# -gt 0 ] || parts=(dispatch container stores decoding backend page http layers cache caching invalidation eviction cluster)
for part in "${parts[@]}"; do
    case $part in
    dispatch | container | stores | decoding | backend | page | http | layers | cache | caching | invalidation | eviction | cluster) ;;
    *) echo "Unknown part \"$part\". The parts are dispatch, container, stores, decoding, backend, page, http, layers, cache, caching, invalidation, eviction and cluster." >&2 && exit 2 ;;
    esac
done

# The parts write their files to this folder, so an interrupted run leaves nothing behind.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

echo "Building in release: up to ten minutes the first time, seconds afterwards."
swift build -c release --quiet
bin=$(swift build -c release --show-bin-path)

# Lines that begin with "= " are figures for the table at the end.
for part in "${parts[@]}"; do
    echo
    "$part" | tee -a "$work/output" | sed '/^= /d'
done

echo
sed -n 's/^= //p' "$work/output" | awk -F'|' '
    BEGIN { format = "%-68s %9s %8s  %s\n"; printf format, "figure: a ratio within one run, or in the unit named", "measured", "limit", "" }
    { printf format, $1, $2, $3, $4 }
'
