#!/usr/bin/env bash
# Prints what a message over HTTP costs: encoded, called beside bare AsyncHTTPClient, and served beside a route by hand.
# Both servers run all the time and take turns, round by round; the figures are the medians of the rounds.
#
# usage: http.sh [ROUNDS [SECONDS]]    by default 9 rounds of 2 seconds for each server
set -euo pipefail
cd "$(dirname "$0")"

rounds=${1:-9} seconds=${2:-2}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
swift build -c release --product HTTPBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/HTTPBenchmark
work=$(mktemp -d)
. ./servers.sh

"$bench" encode
start by-hand by-hand
by_hand=http://127.0.0.1:$port
"$bench" call "$port"
start mounted mounted
mounted=http://127.0.0.1:$port

path="/v1/events/let-swift-13/speakers?name=Ada&minimumTalks=2&order=name&page=start"
cmp <(curl -fsS "$mounted$path" | tr '{,}' '\n' | sort) <(curl -fsS "$by_hand$path" | tr '{,}' '\n' | sort) ||
    { echo "The servers' answers differ." >&2; exit 1; }

# Adds the requests a second of one round to a server's samples; round 0 warms up and is not counted.
measure() {
    wrk --threads 1 --connections 16 --duration "${seconds}s" "$2$path" >"$work/wrk"
    if grep -E 'Non-2xx|Socket errors' "$work/wrk" >&2; then exit 1; fi
    [ "$round" -eq 0 ] || awk '/^Requests\/sec:/ { print $2 }' "$work/wrk" >>"$work/$1.samples"
}

for round in $(seq 0 "$rounds"); do
    if ((round % 2)); then
        measure mounted "$mounted"
        measure by-hand "$by_hand"
    else
        measure by-hand "$by_hand"
        measure mounted "$mounted"
    fi
done

median() { sort -n "$work/$1.samples" | sed -n "$((rounds / 2 + 1))p"; }
echo "Requests a second, sixteen connections: by hand $(median by-hand), mounted $(median mounted)."
awk -v mounted="$(median mounted)" -v hand="$(median by-hand)" 'BEGIN {
    ratio = mounted / hand
    printf "= requests/s of a mounted query / a route by hand|%.2f|>= 0.85|%s\n", ratio, (ratio >= 0.85 ? "met" : "MISSED")
}'
