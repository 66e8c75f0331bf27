#!/usr/bin/env bash
# Builds the benchmarks in release, runs each, and prints one table of all figures.
#
# usage: run.sh [dispatch] [stores] [decoding] [backend]    by default all of them
set -euo pipefail
cd "$(dirname "$0")"

parts=("$@")
[ $# -gt 0 ] || parts=(dispatch stores decoding backend)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

echo "Building in release: ten minutes or so the first time, seconds afterwards."
swift build -c release --quiet
bin=$(swift build -c release --show-bin-path)

for part in "${parts[@]}"; do
    echo
    case $part in
    dispatch) echo "Dispatch, about a minute" && ./dispatch.sh ;;
    stores) echo "Saving and loading the feed, about ten seconds" && "$bin/StoresBenchmark" ;;
    decoding) echo "Decoding the feed, about ten seconds" && "$bin/DecodingBenchmark" ;;
    backend) echo "The backend, about five minutes" && ./backend.sh ;;
    *) echo "There is no part named $part; there are dispatch, stores, decoding and backend." >&2 && exit 2 ;;
    esac > >(tee -a "$work/output" | grep -v '^= ') || { echo "The part $part failed." >&2; exit 1; }
done

echo
echo "All figures, each a ratio taken in one run"
sed -n 's/^= //p' "$work/output" | awk -F'|' '
    BEGIN { format = "%-72s %9s %9s  %s\n"; printf format, "figure", "measured", "limit", "" }
    { printf format, $1, $2, $3, $4 }
'
