#!/usr/bin/env bash
# Measures how long a newcomer waits, each time without an earlier build: the program of the quick start in an empty
# package, a package with Caching, one with HTTP, one with HTTP and macros, and `make run`. Takes half an hour on two
# cores; run nothing else.
#
# usage: first-hour.sh [core] [caching] [http] [macros] [run]    by default all of them
set -euo pipefail
duet=$(cd "$(dirname "$0")/.." && pwd)
source "$duet/scripts/traits.env"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Creates an empty package that depends on Duet: FOLDER TRAITS PRODUCTS.
package() {
    mkdir -p "$work/$1/Sources/$1"
    cat >"$work/$1/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "$1",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duet", path: "$duet"$2)],
    targets: [.executableTarget(name: "$1", dependencies: [$(printf '.product(name: "%s", package: "duet"), ' $3)])]
)
EOF
    printf 'import %s\n' $3 >"$work/$1/Sources/$1/main.swift"
}

seconds() {
    local start=$EPOCHREALTIME
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - start }'
}

core() {
    first() {
        package core '' Duet
        sed -n '/^\/\/ snippet.core$/,/^\/\/ snippet.end$/p' "$duet/Snippets/FirstHour.swift" >"$work/core/Sources/core/main.swift"
        swift run --package-path "$work/core" --quiet core
    }
    local time
    time=$(seconds first)
    grep --quiet Milk "$work/log" || { echo "The program printed something else: $(cat "$work/log")" >&2; exit 1; }
    echo "= from an empty folder to the quick start's printed result, in s|$time|<= 30|$(awk "BEGIN { print $time <= 30 ? \"met\" : \"MISSED\" }")"
}

caching() {
    package queries ', traits: ["Caching"]' "Duet DuetCaching"
    echo "= first debug build with Caching, in s|$(seconds swift build --package-path "$work/queries")||"
}

http() {
    package http ', traits: ["AsyncHTTPClient", "Hummingbird"]' "DuetHTTP DuetAsyncHTTPClient DuetHummingbird"
    echo "= first debug build with AsyncHTTPClient and Hummingbird, in s|$(seconds swift build --package-path "$work/http")||"
}

macros() {
    package macros ', traits: ["AsyncHTTPClient", "Hummingbird", "Macros"]' \
        "DuetHTTP DuetAsyncHTTPClient DuetHummingbird DuetMacros"
    echo "= the same with Macros, in s|$(seconds swift build --package-path "$work/macros")||"
}

# Builds the targets of other packages that feed links, including those of its macros, and then feed. It names targets,
# because Swift Package Manager builds everything when it is given a product of another package. swift-syntax is built
# with the plugin: by its own name, it would be built a second time, for programs.
run() {
    git clone --quiet "$duet" "$work/clone"
    cd "$work/clone"
    packages() {
        for target in Hummingbird AsyncHTTPClient Crypto RawStructuredFieldValues GRDB Mustache ArgumentParser UnixSignals \
            DuetMacrosPlugin; do
            swift build --traits "$TRAITS" --target "$target"
        done
    }
    local packages feed ratio
    packages=$(seconds packages)
    feed=$(seconds swift build --traits "$TRAITS" --product feed)
    ratio=$(awk "BEGIN { printf \"%.2f\", ($packages + $feed) / $packages }")
    echo "= make run from nothing, in min|$(awk "BEGIN { printf \"%.1f\", ($packages + $feed) / 60 }")||"
    echo "= make run from nothing / the packages that feed links|$ratio|<= 1.3|$(awk "BEGIN { print $ratio <= 1.3 ? \"met\" : \"MISSED\" }")"
}

parts=("$@")
[ $# -gt 0 ] || parts=(core caching http macros run)
for part in "${parts[@]}"; do "$part"; done | awk -F'|' '{ printf "%-68s %9s %8s  %s\n", substr($1, 3), $2, $3, $4 }'
