#!/usr/bin/env bash
# Prints what the kept pages of the feed's backend gain in cases that are harder than one page again and again, compared
# with the hand-written route of backend.sh. The servers take turns, round by round. A figure is the median of the
# rounds, without the first one, which warms up.
#
# usage: kept.sh [ROUNDS [SECONDS]]    by default 5 rounds of 2 seconds for each measurement
set -euo pipefail
cd "$(dirname "$0")"

rounds=${1:-5} seconds=${2:-2}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
swift build -c release --product BackendBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/BackendBenchmark
work=$(mktemp -d)
. ./servers.sh

first="/v1/feed?limit=10"
declare -A url pid

# Starts a server for the database of a size, and replaces an earlier one of this name.
serve() {
    start "$1" "$1" "$work/$2.sqlite"
    url[$1]=http://127.0.0.1:$port
    pid[$1]=${servers[-1]}
}

# Adds "CASE SERVER PROCESSOR REQUESTS P99" to the samples: the processor time of a request and the 99th percentile in
# microseconds, and the requests per second. Processor time of commands, in ticks per second, is taken off.
#
# usage: load CASE SERVER CONNECTIONS PATH [OPTION-OF-WRK...] [-- ARGUMENT...]
load() {
    local case=$1 server=$2 before options=() arguments=()
    local connections=$3 path=$4
    shift 4
    while (($#)) && [ "$1" != -- ]; do options+=("$1"); shift; done
    arguments=("$@")
    before=$(ticks "${pid[$server]}")
    wrk --threads 1 --connections "$connections" --duration "${seconds}s" --latency "${options[@]}" \
        "${url[$server]}$path" "${arguments[@]}" >"$work/wrk"
    if grep -E 'Non-2xx|Socket errors' "$work/wrk" >&2; then exit 1; fi
    [ "$round" -eq 0 ] || awk -v id="$case $server" -v ticks=$(($(ticks "${pid[$server]}") - before)) \
        -v off="${commands:-0}" -v rate="$(getconf CLK_TCK)" -v seconds="$seconds" '
        /^ *99%/ { latency = $2 + 0; if ($2 ~ /ms$/) latency *= 1000; else if ($2 !~ /us$/) latency *= 1000000 }
        /^Requests\/sec:/ { requests = $2 }
        / requests in / { count = $1 }
        END { print id, (ticks - off * seconds) / rate * 1000000 / count, requests, latency }
    ' "$work/wrk" >>"$work/samples"
}

# Runs a command for each round, with the servers in turn, as `load CASE SERVER` with the arguments.
compare_loads() {
    local case=$1 others=$2 order server
    shift 2
    for round in $(seq 0 "$rounds"); do
        order="duet $others by-hand"
        if ((round % 2)); then order="by-hand $others duet"; fi
        for server in $order; do load "$case" "$server" "$@"; done
    done
}

"$bench" fill "$work/1000.sqlite" 1000 >/dev/null
for server in duet by-hand dictionary; do serve $server 1000; done

compare_loads hot dictionary 16 "$first"
compare_loads many64 "" 64 "$first"
compare_loads many256 "" 256 "$first"
for round in $(seq 0 "$rounds"); do
    load gzip duet 16 "$first" --header "Accept-Encoding: gzip"
    load gzip by-hand 16 "$first"
done
tag=$(curl -fsS -o /dev/null -D - "${url[duet]}$first" | tr -d '\r' | sed -n 's/^etag: //Ip')
for round in $(seq 0 "$rounds"); do
    load known duet 16 "$first" --header "If-None-Match: $tag"
    load known by-hand 16 "$first"
done

"$bench" write "$work/1000.sqlite" & writer=$!
servers+=("$writer")
compare_loads written "" 16 "$first"
kill "$writer" && wait "$writer" || true

newest=$("$bench" ids "$work/1000.sqlite" 1)
# Comments for the rest of the run, and first alone.
wrk --threads 1 --connections 1 --duration "$((seconds * (rounds + 2) * 3))s" --script pages.lua "${url[duet]}" \
    -- comment "$newest" 1 >/dev/null & writer=$!
servers+=("$writer")
before=$(ticks "${pid[duet]}")
sleep "$seconds"
commands=$(awk -v ticks=$(($(ticks "${pid[duet]}") - before)) -v seconds="$seconds" 'BEGIN { print ticks / seconds }')
for round in $(seq 0 "$rounds"); do
    load commanded duet 16 "$first"
    commands=0 load commanded by-hand 16 "$first"
done
commands=0
kill -0 "$writer" || { echo "The comments ended too early." >&2; exit 1; }
stop

"$bench" fill "$work/300000.sqlite" 300000 >/dev/null
"$bench" ids "$work/300000.sqlite" 300000 >"$work/ids"
head -n 100000 "$work/ids" >"$work/popular"
for server in duet by-hand; do serve $server 300000; done
for round in $(seq 0 "$rounds"); do
    # Each page once.
    for server in duet by-hand; do
        load fresh $server 16 "$first" --script pages.lua -- each "$work/ids" $((round * 45000))
    done
done
stop
serve duet 300000
serve by-hand 300000
for round in $(seq 0 "$rounds"); do
    for server in duet by-hand; do
        load popular $server 16 "$first" --script pages.lua -- popular "$work/popular" "$round"
    done
done
kill -TERM "${pid[duet]}"
wait "${pid[duet]}" || true
kept=$(awk '/LoadFeed:/ { print $2 / ($2 + $4 + $6) }' "$work/duet.port")

awk -v kept="$kept" "$median_of_values"'
    function figure(what, ratio, limit) {
        isMet = limit ~ /^>/ ? ratio >= substr(limit, 4) + 0 : ratio <= substr(limit, 4) + 0
        printf "= %s|%.2f|%s|%s\n", what, ratio, limit, isMet ? "met" : "MISSED"
    }
    function ratio(kind, name, other) { return median(kind, name " duet") / median(kind, name " " other) }
    {
        row = $1 " " $2
        values["processor", row] = values["processor", row] " " $3
        values["requests", row] = values["requests", row] " " $4
        values["latency", row] = values["latency", row] " " $5
        if (!(row in rows)) { rows[row]; order[++count] = row }
    }
    END {
        printf "%-20s %14s %12s %12s\n", "", "processor, us", "requests/s", "99 %, us"
        for (n = 1; n <= count; n++)
            printf "%-20s %14d %12d %12d\n", order[n], median("processor", order[n]), median("requests", order[n]),
                median("latency", order[n])
        hand = " / hand-written"
        figure("requests/s of a kept page / a hand-written dictionary", ratio("requests", "hot", "dictionary"), ">= 0.6")
        figure("processor time of a page as gzip" hand, ratio("processor", "gzip", "by-hand"), "<= 0.7")
        figure("processor time of pages that nobody asked for before" hand,
            ratio("processor", "fresh", "by-hand"), "<= 1.5")
        figure("processor time beside writes of a process" hand, ratio("processor", "written", "by-hand"), "<= 1.2")
        figure("processor time beside commands" hand, ratio("processor", "commanded", "by-hand"), "<= 1.2")
        figure("processor time of 100,000 pages by popularity" hand,
            ratio("processor", "popular", "by-hand"), "<= 0.9")
        printf "of these, %.0f %% were kept\n", kept * 100
        figure("requests/s of 304 / hand-written 200", ratio("requests", "known", "by-hand"), ">= 1.7")
        figure("99 % with 64 connections" hand, ratio("latency", "many64", "by-hand"), "<= 0.9")
        figure("99 % with 256 connections" hand, ratio("latency", "many256", "by-hand"), "<= 0.9")
    }
' "$work/samples"
