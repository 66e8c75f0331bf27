#!/usr/bin/env bash
# Writes the public symbol graphs of modules that are already built: scripts/symbols.sh FOLDER MODULE...
# The compiler is asked directly, because `swift package dump-symbol-graph` plans and builds everything again first.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
shift
source scripts/includes.sh
target=$(swift -print-target-info | jq --raw-output .target.unversionedTriple)
for module in "$@"; do
    rm -rf "${folder:?}/$module"
    mkdir -p "$folder/$module"
    swift symbolgraph-extract -module-name "$module" -target "$target" "${includes[@]}" \
        -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
        -output-dir "$folder/$module"
done
