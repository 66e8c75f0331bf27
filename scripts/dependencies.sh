#!/usr/bin/env bash
# Builds the products of other packages alone, so that continuous integration can tell their time from the project's own.
set -euo pipefail
cd "$(dirname "$0")/.."
swift package dump-package |
    jq --raw-output '[.targets[].dependencies[].product? | select(. != null) | .[0]] | unique[]' |
    while read -r product; do
        swift build --quiet --product "$product" </dev/null || exit 1
    done
