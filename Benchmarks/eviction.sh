#!/usr/bin/env bash
# Prints the hit ratios of the query cache and of other eviction policies on traces, and how far the cache is below the
# best of LRU, S3-FIFO and ARC.
#
# usage: [TRACES=FOLDER] eviction.sh [BUILD OPTION...]    the folder has gli, loop, multi3 and sprite as .txt.gz; without it only web12 is
#        measured. --traits Caching builds little.
set -euo pipefail
cd "$(dirname "$0")"

traces=${TRACES:-}
# A relative folder is relative to the repository's root.
[ -z "$traces" ] || [ "${traces:0:1}" = / ] || traces=../$traces

swift build -c release --product EvictionSimulator --quiet "$@"
simulator=$(swift build -c release --show-bin-path "$@")/EvictionSimulator

# The traces, their capacities, and the hit ratios of S3-FIFO in libCacheSim 0.3.5 at these capacities.
rows() {
    cat <<END
Traces/web12.txt.gz 300,1200,2000 53.33,70.83,75.39
END
    [ -n "$traces" ] || return 0
    cat <<END
$traces/gli.txt.gz 250,500,1000 15.83,30.54,44.34
$traces/loop.txt.gz 512 45.51
$traces/multi3.txt.gz 1000 51.37
$traces/sprite.txt.gz 400 71.28
END
}

if [ -z "$traces" ]; then
    echo "gli, loop, multi3 and sprite are skipped: set TRACES to a folder that has them."
elif [ ! -d "$traces" ]; then
    echo "There is no folder $traces. Set TRACES to the folder that has gli, loop, multi3 and sprite." >&2
    exit 1
fi
rows | while read -r trace capacities published; do
    "$simulator" lru,arc,query-cache,min "$capacities" "$trace" | awk -v list="$published" '
        BEGIN { split(list, published, ",") }
        { print }
        NR > 1 {
            # The columns are the trace, the capacity, and then the policies in the order above.
            best = published[NR - 1]
            if ($3 > best) best = $3
            if ($4 > best) best = $4
            figure("LRU", $3 - $5, 1)
            figure("the best of three", best - $5, 1.5)
        }
        function figure(name, behind, limit) {
            figures = figures sprintf("= %s %s, the cache behind %s: points|%.2f|<= %s|%s\n", $1, $2, name, behind, limit,
                behind <= limit ? "met" : "MISSED")
        }
        END { printf "%s", figures }
    '
done
