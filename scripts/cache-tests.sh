#!/usr/bin/env bash
# Runs the public HTTP cache suite (https://github.com/http-tests/cache-tests) through a server that forwards each request
# with a caching client, and prints the number of passed tests of each kind. The suite's origin uses port 8000, and the
# server 8001.
#
# usage: cache-tests.sh FOLDER
#
# FOLDER is a copy of the suite. Run `npm install` in it first, because a few tests fail without it. The cache is private:
# the tests that the suite marks as those of a CDN or leaves out for a browser are not counted.
set -euo pipefail

if [ ! -f "${1-}/test-engine/cli.mjs" ]; then
    echo "usage: cache-tests.sh FOLDER; FOLDER is a copy of https://github.com/http-tests/cache-tests" >&2
    exit 2
fi
command -v node >/dev/null || { echo "Node is missing. Install version 20 or later." >&2; exit 1; }
suite=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."

work=$(mktemp -d)
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" || true; done
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

(
    cd "$suite"
    export npm_config_protocol=http npm_config_port=8000 npm_config_pidfile=$work/pid
    exec node test-engine/server/server.mjs
) >"$work/origin.log" 2>&1 &
servers+=($!)
.build/debug/CachingServer 127.0.0.1:8000 8001 >"$work/cache.log" 2>&1 &
servers+=($!)
for name in origin:Listening cache:Cache:; do
    for _ in $(seq 100); do grep -q "${name#*:}" "$work/${name%%:*}.log" && continue 2 || sleep 0.1; done
    cat "$work/${name%%:*}.log" >&2
    exit 1
done

npm_config_base=http://127.0.0.1:8001 npm_package_config_id= node --no-warnings "$suite/test-engine/cli.mjs" >"$work/result.json"
SUITE=$suite RESULT=$work/result.json node --input-type=module --eval '
    import { readFileSync } from "node:fs"
    const { default: suites } = await import(`${process.env.SUITE}/tests/index.mjs`)
    const results = JSON.parse(readFileSync(process.env.RESULT))
    const kinds = new Map()
    for (const { id, kind = "required", ...only } of suites.flatMap((suite) => suite.tests)) {
        if (!(id in results) || only.cdn_only || only.browser_skip || only.browser_only) continue
        const counts = kinds.get(kind) ?? { passed: [], failed: [] }
        kinds.set(kind, counts)
        counts[results[id] === true ? "passed" : "failed"].push(id)
    }
    for (const [kind, { passed, failed }] of kinds) {
        console.log(`${kind}: ${passed.length} of ${passed.length + failed.length}`)
        if (kind !== "check" && failed.length > 0) console.log(`    failed: ${failed.join(", ")}`)
    }
'
