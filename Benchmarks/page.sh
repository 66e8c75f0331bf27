#!/usr/bin/env bash
# Prints the cost of the first page, compared with a hand-written route that loads the same rows from the same backend
# and renders the same templates, and with the same HTML from memory; the time until a comment reaches live pages; and the
# time of requests that are made to be slow.
#   latency     wrk's median with one connection
#
# usage: page.sh [ROUNDS [SECONDS]]    by default 7 rounds of 2 seconds for each measurement
set -euo pipefail
cd "$(dirname "$0")"

rounds=${1:-7} seconds=${2:-2}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
swift build -c release --product BackendBenchmark --quiet
swift build -c release --product PageBenchmark --quiet
bin=$(swift build -c release --show-bin-path)
work=$(mktemp -d)
bench=$bin/BackendBenchmark
. ./servers.sh

"$bench" fill "$work/backend.sqlite" 1000 >/dev/null
start backend duet "$work/backend.sqlite"
backend=http://127.0.0.1:$port
bench=$bin/PageBenchmark
start page page "$backend" "$work/cache.sqlite"
page=http://127.0.0.1:$port
start by-hand by-hand "$backend" ../EssentialFeed/FeedWeb/Resources
by_hand=http://127.0.0.1:$port
curl -fsS "$page/" >"$work/page.html"
start static static "$work/page.html"
static=http://127.0.0.1:$port

# The addresses of the style and the script contain a version, and the page has the server's time.
html() { curl -fsS "$1/" | sed 's/?v=[a-z0-9]*"/"/; s/ data-now="[^"]*"//'; }
diff <(html "$page") <(html "$by_hand") >&2 || { echo "The two pages differ." >&2; exit 1; }

# The first round, 0, warms up and is not counted.
for round in $(seq 0 "$rounds"); do
    for server in page by-hand static; do
        url=$page
        [ $server = page ] || url=$by_hand
        [ $server != static ] || url=$static
        wrk --threads 1 --connections 1 --duration "${seconds}s" --latency "$url/" >"$work/wrk"
        if grep -E 'Non-2xx|Socket errors' "$work/wrk" >&2; then exit 1; fi
        [ "$round" -eq 0 ] || awk '/^ *50%/ {
            latency = $2 + 0; if ($2 ~ /ms$/) latency *= 1000; else if ($2 !~ /us$/) latency *= 1000000
            print latency
        }' "$work/wrk" >>"$work/$server.samples"
    done
done
echo "Latency of the first page: $(median page) us, hand-written $(median by-hand) us, from memory $(median static) us."
awk -v page="$(median page)" -v hand="$(median by-hand)" 'BEGIN {
    printf "= latency of the first page / a hand-written route|%.2f|<= 1.4|%s\n", page / hand, (page / hand <= 1.4 ? "met" : "MISSED")
}'
"$bench" live "$page" 200
"$bench" hostile "$page" "$backend"
