#!/usr/bin/env bash
# Writes the public symbol graphs of modules that are already built: scripts/symbols.sh FOLDER MODULE...
# The compiler is asked directly, because `swift package dump-symbol-graph` plans and builds everything again first.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.."
folder=$1
shift
target=$(swift -print-target-info | jq --raw-output .target.unversionedTriple)
includes=(-I .build/debug/Modules)
# C modules have a module map, or one that SwiftPM writes beside their objects; their headers are in the checkout.
for map in .build/debug/*.build/module.modulemap .build/checkouts/*/Sources/*/{,include/}module.modulemap; do
    includes+=(-Xcc "-fmodule-map-file=$map")
done
for headers in .build/checkouts/*/Sources/*/include; do
    includes+=(-Xcc -I -Xcc "$headers")
done
[ "$(uname)" = Linux ] || includes+=(-sdk "$(xcrun --show-sdk-path)")
for module in "$@"; do
    rm -rf "${folder:?}/$module"
    mkdir -p "$folder/$module"
    swift symbolgraph-extract -module-name "$module" -target "$target" "${includes[@]}" \
        -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
        -output-dir "$folder/$module"
done
