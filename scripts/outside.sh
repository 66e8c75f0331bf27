#!/usr/bin/env bash
# Compiles the package in Tests/Outside against the modules that are already built, as the code of a user. With the
# argument all, SwiftPM builds it with its own traits, and its tests run, which takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
if [ "${1-}" = all ]; then
    exec swift test --package-path Tests/Outside --scratch-path .build/outside
fi
source scripts/includes.sh
# The macros of Swift Testing are a part of the toolchain.
plugins=$(dirname "$(readlink -f "$(command -v swiftc)")")/../lib/swift/host/plugins
[ -d "$plugins/testing" ] && plugins=$plugins/testing
# Down to SIL, because the compiler checks the isolation of values after the types.
swiftc -emit-sil -wmo -o /dev/null -module-name OutsideTests -package-name outside -parse-as-library -swift-version 6 \
    -warnings-as-errors "${includes[@]}" -plugin-path "$plugins" Tests/Outside/Tests/*.swift
