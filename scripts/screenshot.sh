#!/usr/bin/env bash
# Takes the README's pictures with headless Chromium: the page online, light and dark, and after its backend was
# stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$(mktemp -d)
export HOME="$home" XDG_CACHE_HOME="$home/cache" XDG_DATA_HOME="$home/data"
processes=()
trap 'kill -INT "${processes[@]}" 2>/dev/null || true; wait; rm -rf "$home"' EXIT

# Starts a program of feed, and waits for the address that it prints.
start() {
    local name=$1 process
    shift
    .build/debug/feed "$@" >"$home/$name" 2>"$home/$name.error" &
    process=$!
    processes+=("$process")
    for _ in $(seq 300); do
        address=$(grep --only-matching --max-count=1 'http://[^ ]*' "$home/$name" || true)
        [ -n "$address" ] && return
        kill -0 $process 2>/dev/null || break
        sleep 0.1
    done
    cat "$home/$name.error" >&2
    echo "feed $1 did not start within 30 seconds." >&2
    exit 1
}

picture() {
    local name=$1 height=$2
    shift 2
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 \
        --force-prefers-reduced-motion \
        --window-size="1200,$height" --virtual-time-budget=3000 --user-data-dir="$home/chromium" \
        --screenshot="Documentation/Images/$name.jpg" "$@" "$page" >/dev/null 2>&1
    echo "Documentation/Images/$name.jpg"
}

mkdir -p Documentation/Images
start backend serve --port 0
backend=${processes[0]}
start page web --port 0 --remote "$address"
page=$address
picture page 900
picture page-dark 900 --blink-settings=preferredColorScheme=0
kill -INT "$backend"
wait "$backend" || true
picture page-offline 900
