#!/usr/bin/env bash
# Makes the documentation of all modules, the guides and the tutorial as one static site: scripts/docs.sh [FOLDER]
# Everything must have been built. Warnings, such as links that lead nowhere, are errors.
# DUET_BASE_PATH=duet is for a site that is served under /duet, as GitHub Pages does.
set -euo pipefail
cd "$(dirname "$0")/.."
site=${1:-.build/docs/site}
work=.build/docs
# Each after the modules that it depends on, because links are resolved against those.
modules=(Duet DuetDependencies DuetMacros DuetContext DuetCaching DuetHTTP DuetHTTPCaching DuetAsyncHTTPClient DuetURLSession
    DuetClusterEngine DuetCluster DuetNATS DuetSQLite DuetTelemetry DuetHummingbird DuetJWT DuetSwiftUI DuetTesting
    DuetContracts)

extract=$(scripts/snippet-extract.sh)
rm -rf "$work" "$site"
mkdir -p "$work/archives" "$work/snippets" "$(dirname "$site")"
"$extract" --module-name duet --output "$work/snippets/duet-snippets.symbols.json" "$PWD"/Snippets/*.swift
# The declarations of DuetSwiftUI that need SwiftUI are documented without it, too.
if [ "$(uname)" = Linux ]; then
    export SWIFTUI=$work/swiftui
    scripts/swiftui.sh "$SWIFTUI"
fi
scripts/symbols.sh "$work/symbols" "${modules[@]}"

cp -R Documentation/Guides.docc "$work/Guides.docc"
scripts/diagrams.sh "$work/Guides.docc/Resources"

dependencies=()
failed=0
convert() {
    local name=$1 catalog=$2 log
    mkdir -p "$work/symbols/$name"
    cp "$work/snippets/duet-snippets.symbols.json" "$work/symbols/$name"
    # shellcheck disable=SC2086
    log=$(docc convert $catalog --fallback-display-name "$name" --fallback-bundle-identifier "duet.$name" \
        --additional-symbol-graph-dir "$work/symbols/$name" --output-path "$work/archives/$name.doccarchive" \
        --enable-experimental-external-link-support "${dependencies[@]}" \
        --transform-for-static-hosting --hosting-base-path "${DUET_BASE_PATH:-/}" 2>&1) || failed=1
    if [ -n "$log" ]; then
        echo "$log" >&2
        failed=1
    fi
    dependencies+=(--dependency "$work/archives/$name.doccarchive")
}
for module in "${modules[@]}"; do
    catalog=$(find Sources -name "$module.docc")
    convert "$module" "$catalog"
done
convert Guides "$work/Guides.docc"
[ $failed -eq 0 ] || { echo "✗ The documentation has the faults above." >&2; exit 1; }
docc merge "$work"/archives/*.doccarchive --synthesized-landing-page-name Duet --output-path "$site"
# The guides are the front page, and each page has a link to them.
base=${DUET_BASE_PATH:+/$DUET_BASE_PATH}
header="<template id=\"custom-header\"><nav style=\"padding:.6em 1.2em;font:14px -apple-system,Helvetica,Arial,sans-serif\"><a style=\"color:inherit\" href=\"$base/documentation/guides/\">Duet: guides and modules</a></nav></template>"
find "$site" -name index.html -print0 |
    xargs -0 perl -pi -e "BEGIN { \$header = q{$header} } s{<body[^>]*>\K}{\$header}"
cat >"$site/index.html" <<EOF
<!doctype html>
<meta charset="utf-8">
<title>Duet</title>
<meta http-equiv="refresh" content="0; url=$base/documentation/guides/">
<a href="$base/documentation/guides/">Duet</a>
EOF
echo "✓ The documentation is in $site."
