#!/usr/bin/env bash
# Runs a cluster on this machine, kills one of its workers, and shows that it goes on: scripts/cluster.sh PROGRAM
# Everything is in a temporary folder, on free ports, and ends with the script.
set -euo pipefail
feed=$(realpath "$1")
samples=$(dirname "$0")/../EssentialFeed/FeedBackend/Resources/samples
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data
start=$(date +%s%N)

say() { printf '%5d ms  %s\n' $((($(date +%s%N) - start) / 1000000)) "$*"; }
fail() { say "FAILED: $*"; tail -n 5 "$work"/*.log >&2; exit 1; }

# Prints a text of a file as soon as the file has it, for 20 seconds at most: await FILE SED-EXPRESSION
await() {
    for _ in $(seq 400); do
        if text=$(sed -n "$2" $1 2>/dev/null) && [ -n "$text" ]; then head -n 1 <<<"$text"; return; fi
        sleep 0.05
    done
    return 1
}

# Starts a server in the background, whose output goes to a file: run NAME COMMAND...
run() {
    local name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    pids+=($!)
    disown
}

# Ends a server as Control-C does, and waits until it has ended: finish PID
finish() {
    kill -INT "$1"
    for _ in $(seq 400); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.05; done
    return 1
}

id() { cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen; }

# Posts a form to the page, and prints the status: post PATH CURL-ARGUMENTS...
post() {
    curl --silent --max-time 30 --output /dev/null --write-out '%{http_code}' --header "Origin: ${page%/}" \
        --cookie "session=$token" "$page$1" "${@:2}"
}

comment() { post "images/$image/comments" --data "id=$(id)&username=reader" --data-urlencode "message=$1"; }

run nats nats-server -js -sd "$work/nats" -a 127.0.0.1 -p -1 --ports_file_dir "$work"
nats=$(await "$work/*.ports" 's|.*"\(nats://[0-9.:]*\)".*|\1|p') || fail "nats-server did not start"
say "nats-server is running at $nats"

run worker1 "$feed" serve --port 0 --cluster "$nats"
first=$(await "$work/worker1.log" 's/^Backend: *//p') || fail "the first worker did not start"
run worker2 "$feed" serve --port 0 --cluster "$nats"
second=$(await "$work/worker2.log" 's/^Backend: *//p') || fail "the second worker did not start"
say "two workers are running with one database, at $first and $second"

run page "$feed" web --port 0 --cluster "$nats" --remote "$second"
page=$(await "$work/page.log" 's/^Page: *//p') || fail "the page did not start"
say "the page is running at $page"

token=$("$feed" token create --quiet)
for name in bird clock; do
    image=$(id)
    # The feed has both pictures already.
    status=$(post publish --form "id=$image" --form "description=A $name" --form "location=" \
        --form "duplicate=allowed" --form "file=@$samples/$name.jpg")
    [ "$status" = 303 ] || fail "the image was not published: $status"
done
# Without -q, which would close the pipe before curl has written everything.
curl --silent --fail "$page" | grep "A clock" >/dev/null || fail "the page does not show the image"
say "two images were published through the cluster, and the page shows them"

curl --silent --no-buffer "${page}images/$image/live" >"$work/live" &
pids+=($!)
disown
status=$(comment "before")
[ "$status" = 303 ] || fail "the comment was not posted: $status"
await "$work/live" '/before/p' >/dev/null || fail "the comment did not arrive"
say "a comment was posted, and arrived on an open page"

for n in $(seq 12); do echo "$(comment "comment $n")"; done >"$work/statuses" &
pids+=($!)
await "$work/live" '/comment 2/p' >/dev/null || fail "no comment was posted"
kill -9 "${pids[1]}"
say "the first worker was killed while comments are being posted"
wait "$!" || true
[ "$(sort -u "$work/statuses")" = 303 ] || fail "comments were not posted: $(tr '\n' ' ' <"$work/statuses")"
await "$work/live" '/comment 12/p' >/dev/null || fail "the comments did not arrive"
say "all 12 comments were posted, and arrived"
curl --silent --fail "$page" | grep "A clock" >/dev/null || fail "the page does not show the feed"
say "the page shows the feed"

"$feed" cluster status --cluster "$nats" | sed 's/^/          /'
for server in 3 2; do finish "${pids[$server]}" || fail "a server did not end"; done
finish "${pids[0]}" || fail "nats-server did not end"
say "everything has ended"
