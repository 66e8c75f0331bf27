#!/usr/bin/env bash
# Takes the README's picture of the page with headless Chromium, from a demo with its own home folder.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$(mktemp -d)
env HOME="$home" XDG_CACHE_HOME="$home/cache" XDG_DATA_HOME="$home/data" \
    .build/debug/feed demo --web-port 0 --backend-port 0 >"$home/output" 2>"$home/error" &
demo=$!
trap 'kill -INT $demo 2>/dev/null; wait $demo 2>/dev/null; rm -rf "$home"' EXIT

page=
for _ in $(seq 300); do
    page=$(sed -n 's/^Page: *//p' "$home/output")
    [ -n "$page" ] && break
    kill -0 $demo 2>/dev/null || { cat "$home/error" >&2; exit 1; }
    sleep 0.1
done
[ -n "$page" ] || { echo "The demo did not start within 30 seconds." >&2; exit 1; }

mkdir -p Documentation/Images
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,900 --virtual-time-budget=2000 \
    --user-data-dir="$home/chromium" --screenshot=Documentation/Images/page.jpg "$page" >/dev/null 2>&1
echo "Documentation/Images/page.jpg"
