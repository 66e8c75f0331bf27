#!/usr/bin/env bash
# Builds the tool of the DocC plugin that makes symbols from snippets, unless it is there, and prints its path. The
# plugin itself would plan the build once for each module.
set -euo pipefail
cd "$(dirname "$0")/.."
plugin=1.5.0
extract=.build/snippet-extract-$plugin/debug/snippet-extract
if [ ! -x "$extract" ]; then
    rm -rf .build/swift-docc-plugin
    git -c advice.detachedHead=false clone --quiet --depth 1 --branch "$plugin" \
        https://github.com/swiftlang/swift-docc-plugin .build/swift-docc-plugin
    swift build --package-path .build/swift-docc-plugin --scratch-path ".build/snippet-extract-$plugin" \
        --product snippet-extract --quiet >&2
fi
echo "$extract"
