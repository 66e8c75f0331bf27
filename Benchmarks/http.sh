#!/usr/bin/env bash
# Prints the costs of a message over HTTP: encoding, a call compared with AsyncHTTPClient, and a mounted query compared
# with a hand-written route. Both servers keep running and take turns, round by round. The figures are the medians of
# the rounds.
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
start archive archive
"$bench" stall "$port"
start mounted mounted
mounted=http://127.0.0.1:$port

path="/v1/events/let-swift-13/speakers?name=Ada&minimumTalks=2&order=name&page=start"
cmp <(curl -fsS "$mounted$path" | tr '{,}' '\n' | sort) <(curl -fsS "$by_hand$path" | tr '{,}' '\n' | sort) ||
    { echo "The responses of the two servers differ." >&2; exit 1; }

compare mounted "$mounted$path" by-hand "$by_hand$path" "a mounted query / a hand-written route" 0.85
