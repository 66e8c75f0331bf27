#!/usr/bin/env bash
# Prints what each layer of a server costs: servers of one query, each with one layer more, take turns round by round.
#   latency      wrk's median with one connection
#   requests     wrk's requests per second with sixteen connections
#   allocations  memcheck's count for two numbers of requests, the difference divided by the requests
# The table has the medians of the rounds.
#
# usage: layers.sh [ROUNDS [SECONDS]]    by default 11 rounds of 1 second for each measurement
set -euo pipefail
cd "$(dirname "$0")"

rounds=${1:-11} seconds=${2:-1}
for program in wrk valgrind; do
    command -v $program >/dev/null || { echo "$program is missing: apt-get install $program" >&2; exit 1; }
done
swift build -c release --product HTTPBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/HTTPBenchmark
work=$(mktemp -d)
. ./servers.sh

# Valgrind 3.19 cannot read all debug information of Swift.
strip --strip-debug -o "$work/plain" "$bench"

layers=(route work mount container scope middleware metrics traces cache limits)
path="/v1/events/let-swift-13/speakers?order=name&page=start"
declare -A urls
for layer in "${layers[@]}"; do
    start "$layer" layer "$layer"
    urls[$layer]=http://127.0.0.1:$port$path
done

# The first round, 0, warms up and is not counted.
for round in $(seq 0 "$rounds"); do
    for layer in "${layers[@]}"; do
        wrk --threads 1 --connections 1 --duration "${seconds}s" --latency "${urls[$layer]}" >"$work/one"
        wrk --threads 1 --connections 16 --duration "${seconds}s" "${urls[$layer]}" >"$work/many"
        if grep -E 'Non-2xx|Socket errors' "$work/one" "$work/many" >&2; then exit 1; fi
        [ "$round" -gt 0 ] || continue
        awk '/^ *50%/ { latency = $2 + 0; if ($2 ~ /ms$/) latency *= 1000; else if ($2 !~ /us$/) latency *= 1000000; print latency }' \
            "$work/one" >>"$work/latency-$layer.samples"
        awk '/^Requests\/sec:/ { print $2 }' "$work/many" >>"$work/requests-$layer.samples"
    done
done
stop

# Prints the allocations of a server that has responded to a number of requests.
allocations() {
    valgrind --tool=memcheck --leak-check=no --undef-value-errors=no "$work/plain" layer "$1" >"$work/port" 2>"$work/heap" &
    local server=$!
    servers+=($server)
    for _ in $(seq 300); do
        [ ! -s "$work/port" ] || break
        sleep 0.1
    done
    "$bench" send "$(head -n 1 "$work/port")" "$2"
    stop
    awk '/total heap usage/ { gsub(",", ""); print $5; found = 1 } END { exit !found }' "$work/heap"
}

few=100 many=600
for layer in "${layers[@]}"; do
    echo "$layer $(median "latency-$layer") $(median "requests-$layer") $(allocations "$layer" $few) $(allocations "$layer" $many)"
done | awk -v count=$((many - few)) '
    BEGIN { printf "%-12s %12s %9s %12s %14s %8s %8s\n", "layer", "latency, us", "more", "allocations", "more", "req/s", "ratio" }
    {
        each = ($5 - $4) / count
        if (NR == 1) { latency = $2; allocations = each; requests = $3 }
        printf "%-12s %12d %9d %12.0f %14.0f %8d %8.2f\n", $1, $2, $2 - latency, each, each - allocations, $3, $3 / requests
        latency = $2; allocations = each; requests = $3
        figures[$1] = each
        rates[$1] = $3
    }
    function least(what, ratio, limit) {
        printf "= requests/s of %s|%.2f|>= %s|%s\n", what, ratio, limit, (ratio >= limit ? "met" : "MISSED")
    }
    END {
        least("a mounted query / a route with the same checks", rates["mount"] / rates["work"], 0.92)
        least("a mounted query / the bare route", rates["mount"] / rates["route"], 0.85)
        beyond = figures["mount"] - figures["work"]
        printf "= allocations of a mounted query beyond a hand-written route|%.0f|<= 25|%s\n", beyond, (beyond <= 25 ? "met" : "MISSED")
    }
'
