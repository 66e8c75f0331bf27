#!/usr/bin/env bash
# Checks what the compiler does not. Names each fault with its place; exits 1 when there is one.
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0

fault() {
    echo "✗ $1" >&2
    failed=1
}

echo "Format"
swift format lint --strict --parallel --recursive \
    Package.swift Sources EssentialFeed Tests Snippets Benchmarks/Package.swift Benchmarks/Sources ||
    fault "Not formatted: run make format, and mend by hand what it leaves."

echo "Forbidden words"
# Put together from halves, so that this file does not hold the words itself.
words='@unch''ecked|nonisolated\(uns''afe\)|Task\.sle''ep|\bTO''DO\b'
if git grep --untracked --line-number --extended-regexp "$words" -- '*.swift' '*.js' Makefile scripts .ci; then
    fault "Words that are not used here: concurrency has no escapes, time is injected, loose ends are tied up."
fi

echo "Documentation of every public symbol"
graphs=.build/$(swift -print-target-info | jq --raw-output .target.unversionedTriple)/symbolgraph
rm -rf "$graphs"
log=$(swift package dump-symbol-graph --skip-synthesized-members --minimum-access-level public 2>&1) ||
    fault "The symbol graphs could not be made: $log"
# The plugin and its expansions have nothing public.
modules=$(ls Sources EssentialFeed | grep -E '^(Duet|Feed)' | grep -v -E "Plugin$|Expansion$")
for module in $modules; do
    graph=$graphs/$module.symbols.json
    [ -s "$graph" ] || { fault "No symbol graph of $module."; continue; }
    bare=$(jq --raw-output '.symbols[] | select(.accessLevel == "public" and (.docComment.lines // [] | length) == 0)
        | "\(.location.uri // "?"):\(.location.position.line // 0 | . + 1): \(.pathComponents | join("."))"' "$graph")
    [ -z "$bare" ] || { echo "$bare"; fault "Public symbols of $module without documentation."; }
done

echo "The core and the container alone: nothing fetched, no Foundation linked"
user=$(mktemp -d)
trap 'rm -rf "$user"' EXIT
cat >"$user/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "user",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duet", path: "$PWD", traits: [])],
    targets: [
        .executableTarget(name: "StandardDispatcher", dependencies: [.product(name: "Duet", package: "duet")]),
        .executableTarget(
            name: "WithoutMacros",
            dependencies: ["Duet", "DuetDependencies"].map { .product(name: \$0, package: "duet") }
        ),
    ]
)
EOF
for program in StandardDispatcher WithoutMacros; do
    mkdir -p "$user/Sources/$program"
    cp "Snippets/$program.swift" "$user/Sources/$program/main.swift"
done
if log=$(swift build --package-path "$user" 2>&1); then
    [ -z "$(ls "$user/.build/checkouts" 2>/dev/null)" ] || fault "The core fetches: $(ls "$user/.build/checkouts")"
    for program in StandardDispatcher WithoutMacros; do
        "$user/.build/debug/$program" >/dev/null || fault "The sample $program does not run."
        ! ldd "$user/.build/debug/$program" | grep Foundation || fault "$program links Foundation."
    done
else
    fault "The core and the container do not build alone: $log"
fi

echo "Samples of the documentation are parts of the snippets, and the snippets run"
# A block of Swift names its snippet in a comment on the line before, and is made of lines that follow each other there.
perl -0777 -ne '
    while (/^(?:<!-- (Snippets\/\w+\.swift) -->\n)?```swift\n(.*?)^```$/msg) {
        my ($name, $block) = ($1, $2);
        next if !$name && $block =~ /^\.package\(/;
        if (!$name) { print "$ARGV: a sample that names no snippet:\n$block"; next }
        open(my $file, "<", $name) or do { print "$ARGV: there is no $name\n"; next };
        my $snippet = <$file>;
        $snippet =~ s/^\/\/ snippet\..*\n//mg;
        print "$ARGV: not in $name:\n$block" if index($snippet, $block) < 0;
    }' README.md Documentation/*.md >"$user/samples"
[ ! -s "$user/samples" ] || fault "$(cat "$user/samples")"
for snippet in Snippets/*.swift; do
    program=$(basename "$snippet" .swift)
    timeout 60 ".build/debug/$program" >/dev/null || fault "The snippet $program does not run."
done

echo "Rules of caching and their tests"
scripts/rules.sh || fault "Documentation/HTTPCaching.md names tests that are not there."

echo "README"
[ "$(wc --lines <README.md)" -le 150 ] || fault "README.md is longer than 150 lines."
head --lines=15 README.md | grep --quiet '```swift' || fault "README.md shows no code in its first 15 lines."

[ $failed -eq 0 ] && echo "✓ All checks passed."
exit $failed
