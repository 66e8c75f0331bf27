#!/usr/bin/env bash
# Draws the diagrams of the documentation, light and dark, from Documentation/Diagrams/*.dot: scripts/diagrams.sh FOLDER
# The diagram of the modules comes from Package.swift.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
mkdir -p "$folder"
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT

cp Documentation/Diagrams/*.dot "$sources"
{
    echo 'digraph { rankdir=BT; node [shape=box]'
    swift package dump-package | jq --raw-output '
        def ours: select(. != null and test("^Duet") and (test("Plugin|Testing|Contracts") | not));
        .targets[] | select(.type == "regular") | (.name | ours) as $name
        | "\"\($name)\"", (.dependencies[] | (.byName[0]? // .target[0]?) | ours | "\"\($name)\" -> \"\(.)\"")'
    echo '}'
} | tred >"$sources/modules.dot"

# Names of the colors that the sources use, and what they are on a light and on a dark page.
draw() {
    local suffix=$1 text=$2 line=$3 fill=$4 accent=$5 warning=$6 source
    for source in "$sources"/*.dot; do
        sed -e "s/\"accent\"/\"$accent\"/g" -e "s/\"warning\"/\"$warning\"/g" "$source" |
            dot -Tsvg -Gbgcolor=transparent -Gfontname=Helvetica -Gfontsize=13 -Gfontcolor="$text" -Gcolor="$line" -Gpad=0.1 \
                -Nfontname=Helvetica -Nfontsize=13 -Nstyle=filled,rounded -Nfillcolor="$fill" -Nfontcolor="$text" -Ncolor="$line" \
                -Efontname=Helvetica -Efontsize=12 -Efontcolor="$text" -Ecolor="$line" -Earrowsize=0.7 |
            sed -e 's/font-family="[^"]*"/font-family="-apple-system, Helvetica, Arial, sans-serif"/' \
                >"$folder/$(basename "$source" .dot)$suffix.svg"
    done
}
draw '' '#1d1d1f' '#86868b' '#f5f5f7' '#d9e9fb' '#fbe3d6'
draw '~dark' '#f5f5f7' '#8e8e93' '#2c2c2e' '#133a5e' '#5a2e16'
