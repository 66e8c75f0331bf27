#!/usr/bin/env bash
# Puts Varnish and nginx in front of a server of the feed, and of one of RealWorld, whose errors have another format, and
# shows that a command through either cache reaches the next query: scripts/shared-caches.sh FEED REALWORLD, with the
# programs. Everything is in a temporary folder, on free ports, and ends with the script.
set -euo pipefail
feed=$(realpath "$1")
realworld=$(realpath "$2")
PATH=$PATH:/usr/sbin:/sbin
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data

fail() { echo "✗ $*" >&2; tail -n 5 "$work"/*.log >&2; exit 1; }

# Starts a server in the background, whose output goes to a file: run NAME COMMAND...
run() {
    "${@:2}" >"$work/$1.log" 2>&1 &
    pids+=($!)
}

# Repeats a command for 20 seconds at most until it succeeds: await COMMAND...
await() {
    for _ in $(seq 400); do "$@" 2>/dev/null && return; sleep 0.05; done
    return 1
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
get() { curl --silent --fail --max-time 10 "$@"; }

run feed "$feed" serve --port 0
await grep -q '^Backend:' "$work/feed.log" || fail "the server did not start"
origin=$(sed -n 's|^Backend: *http://\([^/]*\).*|\1|p' "$work/feed.log")
image=$(get "http://$origin/v1/feed?limit=1" | grep -m 1 -oE '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}' | head -n 1)
path=/v1/image/$image/comments

run realworld "$realworld" serve --port 0 --database "$work/realworld.sqlite"
await grep -q '^The API' "$work/realworld.log" || fail "the server of RealWorld did not start"
blog=$(sed -n 's|^The API is at http://\([^/]*\).*|\1|p' "$work/realworld.log")

# As their users set them: Varnish with its own rules and a backend, nginx with a time for what says nothing else.
varnish=127.0.0.1:$(free_port)
run varnish varnishd -F -j none -n "$work/varnish" -a "$varnish" -b "$origin"
varnish_blog=127.0.0.1:$(free_port)
run varnish-blog varnishd -F -j none -n "$work/varnish-blog" -a "$varnish_blog" -b "$blog"
nginx=127.0.0.1:$(free_port) nginx_blog=127.0.0.1:$(free_port)
cat >"$work/nginx.conf" <<END
daemon off;
user $(id -un);
pid $work/nginx.pid;
error_log $work/nginx.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    proxy_cache_path $work/nginx keys_zone=feed:1m;
    server {
        listen $nginx;
        location / {
            proxy_pass http://$origin;
            proxy_cache feed;
            proxy_cache_valid any 1m;
            add_header X-Cache \$upstream_cache_status always;
        }
    }
    server {
        listen $nginx_blog;
        location / {
            proxy_pass http://$blog;
            proxy_cache feed;
            proxy_cache_valid any 1m;
        }
    }
}
END
run nginx nginx -p "$work" -c "$work/nginx.conf" -e "$work/nginx.log"

stale=0
for name in varnish nginx; do
    cache=http://${!name}
    await get --output /dev/null "$cache$path" || fail "$name did not start"
    # The second request is the one that a cache would respond to.
    get --output /dev/null "$cache$path"
    id=$(cat /proc/sys/kernel/random/uuid)
    get --header 'Content-Type: application/json' "$cache$path" \
        --data "{\"id\":\"$id\",\"message\":\"through $name\",\"username\":\"reader\"}" || fail "$name did not forward the comment"
    for _ in 1 2; do
        if get "$cache$path" | grep "through $name" >/dev/null; then
            echo "✓ $name: the query after the command has its effect"
        else
            echo "✗ $name: the query after the command has an old value" >&2
            stale=1
        fi
    done
    # A path that is not there yet, which Varnish keeps for two minutes if nothing says otherwise.
    for _ in 1 2; do curl --silent --output /dev/null --dump-header - "$cache/v1/nothing"; done >"$work/missing"
    if grep -iE '^(X-Cache: HIT|X-Varnish: [0-9]+ [0-9]+)' "$work/missing" >/dev/null; then
        echo "✗ $name: an error comes from the cache" >&2
        stale=1
    else
        echo "✓ $name: no error comes from the cache"
    fi
done

# Reports whether a text is in a response of RealWorld: expect NAME TEXT URL
expect() {
    if curl --silent --max-time 10 "$3" | grep "$2" >/dev/null; then
        echo "✓ $1: $2"
    else
        echo "✗ $1: the response of $3 has no $2" >&2
        stale=1
    fi
}
for name in varnish nginx; do
    cache=${name}_blog
    api=http://${!cache}/api
    await get --output /dev/null "$api/tags" || fail "$name did not start"
    json=(--header 'Content-Type: application/json')
    token=$(get "${json[@]}" "$api/users" --data \
        "{\"user\":{\"username\":\"$name\",\"email\":\"$name@example.com\",\"password\":\"secret\"}}" |
        sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
    json+=(--header "Authorization: Token $token")
    for _ in 1 2; do expect $name '"not found"' "$api/articles/$name"; done
    get --output /dev/null "${json[@]}" "$api/articles" --data \
        "{\"article\":{\"title\":\"$name\",\"description\":\"A test\",\"body\":\"One\"}}" || fail "no article"
    for _ in 1 2; do expect $name '"body":"One"' "$api/articles/$name"; done
    get --output /dev/null "${json[@]}" --request PUT "$api/articles/$name" --data '{"article":{"body":"Two"}}' || fail "no change"
    for _ in 1 2; do expect $name '"body":"Two"' "$api/articles/$name"; done
    # A reader's own values are nobody else's.
    get --output /dev/null "${json[@]}" --request POST "$api/articles/$name/favorite" || fail "no favorite"
    get --output /dev/null "${json[@]}" "$api/articles/$name"
    for _ in 1 2; do expect $name '"favorited":false,"favoritesCount":1' "$api/articles/$name"; done
    for _ in 1 2; do expect $name '"is missing"' "$api/user"; done
done
exit $stale
