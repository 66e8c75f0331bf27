#!/usr/bin/env bash
# Prints what the HTTP cache costs: a hit, beside SQLite by hand; a miss, beside no cache; and hits through `feed proxy --shared`
# beside nginx's proxy cache, of 10 and of 100 kB. Both proxies run all the time, stand before one origin and take turns; the figures
# are the medians. How the origin itself compares with nginx is told, too: it is a Hummingbird route that answers with a constant.
#
# usage: cache.sh [ROUNDS [SECONDS]]    by default 9 rounds of 2 seconds for each proxy
set -euo pipefail
cd "$(dirname "$0")"

rounds=${1:-9} seconds=${2:-2}
for tool in wrk nginx; do
    command -v $tool >/dev/null || { echo "$tool is missing: apt-get install wrk nginx-light" >&2; exit 1; }
done
swift build -c release --product HTTPCacheBenchmark --quiet
bench=$(swift build -c release --show-bin-path)/HTTPCacheBenchmark
work=$(mktemp -d)
. ./servers.sh

"$bench" hits
start origin origin
origin=$port
"$bench" misses "$origin"

start proxy proxy "$origin"
proxy=http://127.0.0.1:$port
nginx_port=$((port == 65535 ? 65534 : port + 1))
cat >"$work/nginx.conf" <<END
daemon off;
user $(id -un);
worker_processes auto;
pid $work/nginx.pid;
error_log $work/nginx.error;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nopush off;
    keepalive_requests 1000000000;
    open_file_cache max=1000;
    client_body_temp_path $work/body;
    proxy_temp_path $work/temp;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    proxy_cache_path $work/cache keys_zone=cache:10m;
    server {
        listen 127.0.0.1:$nginx_port;
        location / {
            proxy_pass http://127.0.0.1:$origin;
            proxy_cache cache;
        }
    }
}
END
nginx -c "$work/nginx.conf" 2>"$work/nginx.log" &
servers+=($!)
nginx=http://127.0.0.1:$nginx_port

for size in 10 100; do
    path="/images/1?size=2"
    [ "$size" -eq 10 ] || path=/large$path
    for url in "$proxy" "$nginx"; do
        for _ in $(seq 200); do curl -fsS -o "$work/answer" "$url$path" 2>"$work/curl" && break || sleep 0.05; done
        [ "$(wc -c <"$work/answer")" -eq "${size}000" ] || { echo "$url does not answer:" >&2; cat "$work/nginx.log" >&2; exit 1; }
    done
    rm -f "$work"/*.samples
    compare "feed proxy" "$proxy$path" nginx "$nginx$path" "hits of $size kB through feed proxy / nginx" 0.7
    compare origin "http://127.0.0.1:$origin$path" "nginx again" "$nginx$path" "a constant $size kB from Hummingbird / nginx's cache"
done
