#!/usr/bin/env bash
# Prints the cost of a page of the feed, without and with telemetry, compared with a hand-written route on the same
# database and with the same settings.
#   latency     wrk's median with one connection
#   requests    wrk's requests per second with sixteen connections
#   processor   the server's processor time for one of these requests
# The servers keep running and take turns, round by round. The table has the medians of the rounds.
#
# usage: backend.sh [ROUNDS [SECONDS]]    by default 7 rounds of 2 seconds for each measurement
set -euo pipefail
cd "$(dirname "$0")"

rounds=${1:-7} seconds=${2:-2}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
swift build -c release --product BackendBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/BackendBenchmark
work=$(mktemp -d)
. ./servers.sh

# Writes "SIZE PAGE SERVER LATENCY REQUESTS PROCESSOR" for one round: latency and processor time in microseconds, and
# requests per second.
measure() {
    local size=$1 page=$2 server=$3 url=$4 pid=$5 before
    wrk --threads 1 --connections 1 --duration "${seconds}s" --latency "$url" >"$work/one"
    before=$(ticks "$pid")
    wrk --threads 1 --connections 16 --duration "${seconds}s" "$url" >"$work/many"
    if grep -E 'Non-2xx|Socket errors' "$work/one" "$work/many" >&2; then exit 1; fi
    awk -v id="$size $page $server" -v ticks=$(($(ticks "$pid") - before)) -v rate="$(getconf CLK_TCK)" '
        /^ *50%/ { latency = $2 + 0; if ($2 ~ /ms$/) latency *= 1000; else if ($2 !~ /us$/) latency *= 1000000 }
        /^Requests\/sec:/ { requests = $2 }
        / requests in / { count = $1 }
        END { print id, latency, requests, ticks / rate * 1000000 / count }
    ' "$work/one" "$work/many" >>"$work/samples.$round"
}

# Prints a response without the address of its server, and with sorted keys.
content() {
    curl -fsS "$1$2" | sed "s|$1||g" | tr '{,}' '\n' | sort
}

for size in 1000 1000000; do
    echo "A database of $size images: $rounds rounds."
    middle=$("$bench" fill "$work/$size.sqlite" "$size")
    start duet duet "$work/$size.sqlite"
    duet=http://127.0.0.1:$port
    duet_pid=${servers[-1]}
    start telemetry telemetry "$work/$size.sqlite"
    telemetry=http://127.0.0.1:$port
    telemetry_pid=${servers[-1]}
    start by-hand by-hand "$work/$size.sqlite"
    by_hand=http://127.0.0.1:$port
    by_hand_pid=${servers[-1]}

    for page in first middle; do
        path="/v1/feed?limit=10"
        [ $page = first ] || path="$path&after_id=$middle"
        if ! cmp <(content "$duet" "$path") <(content "$by_hand" "$path"); then
            echo "The responses of the two servers differ." >&2
            exit 1
        fi
        # The first round, 0, warms up and is not counted.
        for round in $(seq 0 "$rounds"); do
            order=(duet telemetry by-hand)
            if ((round % 2)); then order=(by-hand telemetry duet); fi
            for server in "${order[@]}"; do
                url=${server/-/_}
                pid=${url}_pid
                measure "$size" "$page" "$server" "${!url}$path" "${!pid}"
            done
        done
    done
    stop
done

rm "$work/samples.0"
cat "$work"/samples.* | awk "$median_of_values"'
    function add(what, ratio, limit, isMet) {
        figures = figures sprintf("= %s|%.2f|%s|%s\n", what, ratio, limit, isMet ? "met" : "MISSED")
    }
    { values["latency", $1 " " $2 " " $3] = values["latency", $1 " " $2 " " $3] " " $4 }
    { values["requests", $1 " " $2 " " $3] = values["requests", $1 " " $2 " " $3] " " $5 }
    { values["processor", $1 " " $2 " " $3] = values["processor", $1 " " $2 " " $3] " " $6 }
    END {
        format = "%-9s %-7s %-12s %12s %6s %14s %6s %14s %6s\n"
        printf format, "images", "page", "", "latency, us", "ratio", "requests/s", "ratio", "processor, us", "ratio"
        split("1000 1000000", sizes, " ")
        split("first middle", pages, " ")
        for (s = 1; s <= 2; s++) for (p = 1; p <= 2; p++) {
            row = sizes[s] " " pages[p] " "
            base = median("latency", row "by-hand"); baseRequests = median("requests", row "by-hand")
            baseProcessor = median("processor", row "by-hand")
            printf format, sizes[s], pages[p], "hand-written", base, "1.00", int(baseRequests), "1.00",
                int(baseProcessor), "1.00"
            name = pages[p] " page of " sizes[s] " images"
            split("duet telemetry", servers, " ")
            for (k = 1; k <= 2; k++) {
                latency = median("latency", row servers[k]) / base
                requests = median("requests", row servers[k]) / baseRequests
                processor = median("processor", row servers[k]) / baseProcessor
                printf format, sizes[s], pages[p], servers[k], latency * base, sprintf("%.2f", latency),
                    int(requests * baseRequests), sprintf("%.2f", requests),
                    int(processor * baseProcessor), sprintf("%.2f", processor)
                if (k == 1)
                    add("latency of a " name " / hand-written", latency, "<= 1.25", latency <= 1.25)
                isBest = s == 1 && p == 1
                limit = k == 2 ? 1.2 : isBest ? 1.8 : 1.3
                with = k == 2 ? " with telemetry" : ""
                add("requests/s of a " name with " / hand-written", requests,
                    sprintf(">= %.1f", limit), requests >= limit)
                limit = k == 1 && isBest ? 0.6 : 0.7
                add("processor time of a " name with " / hand-written", processor,
                    sprintf("<= %.1f", limit), processor <= limit)
            }
        }
        printf "%s", figures
    }
'
