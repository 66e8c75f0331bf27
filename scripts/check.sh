#!/usr/bin/env bash
# Checks what the compiler does not. Names each fault with its place; exits 1 when there is one.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
failed=0

fault() {
    echo "✗ $1" >&2
    failed=1
}

# Whether a command fails with a line that matches a pattern.
refuses() {
    local log
    ! log=$("${@:2}" 2>&1) && grep --quiet "$1" <<<"$log"
}

echo "Format"
swift format lint --strict --parallel --recursive \
    Package.swift Sources EssentialFeed Examples Tests Snippets Benchmarks/Package.swift Benchmarks/Sources ||
    fault "Not formatted: run make format, and fix what it leaves."

echo "Forbidden words"
# Put together from halves, so that this file does not hold the words itself.
words='@unch''ecked|nonisolated\(uns''afe\)|Task\.sle''ep|\bTO''DO\b'
if git grep --untracked --line-number --extended-regexp "$words" -- '*.swift' '*.js' Makefile scripts .ci; then
    fault "Words that are not used here: concurrency has no escapes, time is injected, loose ends are tied up."
fi

echo "Phrases and long comments"
scripts/phrases.sh || fault "Plain English: replace these phrases, as scripts/phrases.txt says."
git ls-files --cached --others --exclude-standard -- '*.swift' |
    xargs perl -CSD -ne 'print "$ARGV:$.\n" and $found = 1 if length > 121 && m{^\s*//}; close ARGV if eof; END { $? = $found ? 1 : 0 }' ||
    fault "Comments with lines of more than 120 columns."

echo "Size"
scripts/size.sh || fault "The code or its comments have grown: see scripts/size.env."

echo "Releases of packages"
diff scripts/packages.txt <(scripts/packages.sh) ||
    fault "These releases of packages were not tested: after the tests have passed with them, run make packages."

echo "Actions are named by their commits"
if grep --line-number 'uses:' .github/workflows/*.yml | grep --extended-regexp --invert-match '@[0-9a-f]{40} # v[0-9.]+$'; then
    fault "These actions are not named by a full commit."
fi

echo "Tests that SECURITY.md names"
for suite in $(grep --only-matching '`[A-Za-z0-9]*Tests`' SECURITY.md | tr --delete '`'); do
    [ -n "$(git ls-files --cached --others "Tests/*/$suite.swift")" ] || fault "SECURITY.md names $suite, which is no test."
done

echo "SwiftUI code, against a list of declarations"
[ "$(uname)" != Linux ] || scripts/swiftui.sh .build/swiftui || fault "DuetSwiftUI or its sample does not compile."

echo "Documentation site: links, snippets, symbols"
scripts/docs.sh || fault "The documentation has faults: make docs."

echo "Documentation of every public symbol"
# The site has written the graphs of the toolkit. The plugin has nothing public.
graphs=.build/docs/symbols
modules=$(ls Sources/* EssentialFeed | grep -E '^(Duet|Feed)' | grep -v "Plugin$")
# shellcheck disable=SC2046
log=$(scripts/symbols.sh "$graphs" $(grep '^Feed' <<<"$modules") 2>&1) || fault "The symbol graphs could not be made: $log"
for module in $modules; do
    graph=$graphs/$module/$module.symbols.json
    [ -s "$graph" ] || { fault "No symbol graph of $module."; continue; }
    bare=$(jq --raw-output '.symbols[] | select(.accessLevel == "public" and (.docComment.lines // [] | length) == 0)
        | "\(.location.uri // "?"):\(.location.position.line // 0 | . + 1): \(.pathComponents | join("."))"' "$graph")
    [ -z "$bare" ] || { echo "$bare"; fault "Public symbols of $module without documentation."; }
done

echo "Public types that nothing uses"
scripts/unused.sh "$graphs" || fault "Public types that neither the application, nor a guide, nor a snippet uses: show their use, or make them package."

echo "Without traits: nothing fetched, no Foundation linked; with SQLite alone: no module for HTTP"
user=$(mktemp -d)
trap 'rm -rf "$user"' EXIT
# Packages of users, with the program of each folder: manifest FOLDER TRAITS PRODUCT...
manifest() {
    cat >"$user/$1/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription
let products: [Target.Dependency] = [$(printf '.product(name: "%s", package: "duet"), ' "${@:3}")]
let package = Package(
    name: "$1",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "duet", path: "$PWD", traits: [$2])],
    targets: [$(printf '"%s", ' $(ls "$user/$1/Sources"))].map { .executableTarget(name: \$0, dependencies: products) }
)
EOF
}
program() {
    mkdir -p "$user/$1"
    cat >"$user/$1/main.swift"
}
build() {
    swift build --package-path "$user/$1" 2>&1
}
for name in StandardDispatcher WithoutMacros; do program "core/Sources/$name" <"Snippets/$name.swift"; done
# What a newcomer pastes first.
sed -n '/^\/\/ snippet.core$/,/^\/\/ snippet.end$/p' Snippets/FirstHour.swift | program core/Sources/QuickStart
echo 'import DuetSwiftUI' | program core/Sources/WithDuetSwiftUI
manifest core "" Duet DuetDependencies DuetSwiftUI
if log=$(build core); then
    for name in StandardDispatcher WithoutMacros QuickStart; do
        printed=$("$user/core/.build/debug/$name") || fault "The sample $name does not run."
        [ -n "$printed" ] || fault "The sample $name prints nothing."
        ! ldd "$user/core/.build/debug/$name" | grep Foundation || fault "$name links Foundation."
    done
else
    fault "The samples of the core do not build without traits: $log"
fi
[ -z "$(ls "$user/core/.build/checkouts" 2>/dev/null)" ] || fault "The core fetches: $(ls "$user/core/.build/checkouts")"

# Values and commands are stored without the modules for HTTP and their packages.
program stores/Sources/Stores <<EOF
import DuetCaching
import DuetSQLite
let path = CommandLine.arguments[1]
print(try await SQLiteCacheStore(path: path + "/values.sqlite").size())
print(try await SQLiteCommandStore(path: path + "/commands.sqlite").all().count)
EOF
manifest stores '"SQLite"' DuetCaching DuetSQLite
if log=$(build stores); then
    [ "$("$user/stores/.build/debug/Stores" "$user/stores")" = $'0\n0' ] || fault "The stores do not open."
    ! ls "$user/stores/.build/debug/Modules" | grep HTTP || fault "With the trait SQLite alone, modules for HTTP are built."
else
    fault "A program with the trait SQLite alone does not build: $log"
fi

echo "Each missing trait is named"
# A build would need the packages of other traits before it reaches the error, so the compiler is asked directly.
names() {
    local trait=$1 file=Sources/Core/Traits/$1/$1Trait.swift
    refuses "error: .*$2" swiftc -frontend -typecheck "${@:4}" "$file" || fault "$file does not name what is missing: $2"
    swiftc -frontend -typecheck -D "$3" "$file" || fault "$file is no Swift."
    grep --quiet "\"${trait}Trait\"" Package.swift || fault "No target in Package.swift depends on ${trait}Trait."
}
for trait in AsyncHTTPClient Hummingbird JWT Macros SQLite Telemetry; do
    names "$trait" "traits: \[\"$trait\"\]" "$trait"
done
names Context 'traits: \["HTTP"\]), or \["Caching"\]' Caching
names HTTP 'traits: \["Caching", "HTTP"\]' HTTP -D Caching
names EssentialFeed 'make test.*--traits EssentialFeed,NATS' EssentialFeed
[ "$(ls Sources/Core/Traits | wc -l)" -eq 9 ] || fault "A trait of Sources/Core/Traits is not checked here."
# The modules that need NATS have another form without the trait, which no build here compiles.
without_nats() {
    swiftc -typecheck -swift-version 6 -package-name duet -enable-upcoming-feature InternalImportsByDefault \
        -I .build/debug/Modules -I .build/checkouts/swift-atomics/Sources/_AtomicsShims/include "$@"
}
# shellcheck disable=SC2046
without_nats -module-name DuetNATS $(git ls-files 'Sources/Cluster/DuetNATS/*.swift') ||
    fault "DuetNATS does not compile without the trait NATS."
without_nats -module-name FeedComposition EssentialFeed/FeedComposition/Cluster/FeedCluster.swift ||
    fault "FeedCluster.swift does not compile without the trait NATS."
echo 'let cluster = NATSCluster.self' >"$user/nats.swift"
refuses 'error: .*traits: \["NATS"\]' without_nats Sources/Cluster/DuetNATS/NATSCluster.swift "$user/nats.swift" ||
    fault "Without the trait NATS, DuetNATS does not name it."

echo "Samples of the documentation are parts of the snippets, which compile as a user's code"
scripts/samples.sh || fault "Swift in the documentation that is not compiled: take it from a snippet."
scripts/snippets.sh || fault "Snippets that do not compile in another package, or whose guide shows another output."
scripts/outside.sh || fault "A carrier, a store or an engine of another package does not compile: see Tests/Outside."
# shellcheck disable=SC2016
bash -c 'source scripts/includes.sh && swiftc -typecheck -parse-as-library -swift-version 6 "${includes[@]}" "$@"' - -package-name \
    "$(grep --max-count=1 '"-module-name","Duet",' .build/debug.yaml | grep --only-matching '"-package-name","[^"]*"' | cut -d '"' -f 4)" \
    Tests/HTTP/CachingServer/*.swift || fault "The program of make cache-tests does not compile."

echo "Tests that the documentation names"
scripts/test-references.sh || fault "The documentation names tests that do not exist."

echo "Each step of the tutorial is the one before with one change"
before=
for step in Documentation/Guides.docc/Resources/[1-4]-*.swift; do
    [ -z "$before" ] || [ "$(diff "$before" "$step" | grep --count '^[0-9]')" -eq 1 ] ||
        fault "$step differs from $before in more or less than one place."
    before=$step
done
for chapter in 1 2 3 4; do
    steps=(Documentation/Guides.docc/Resources/"$chapter"-*.swift)
    [ "$(readlink "Snippets/Tutorial$chapter.swift")" = "../${steps[-1]}" ] ||
        fault "Snippets/Tutorial$chapter.swift is not a link to ${steps[-1]}, the last step of its chapter."
done

echo "Address and version of the package are the same everywhere"
source scripts/package.env
git grep --untracked --line-number --only-matching --extended-regexp \
    '\.package\(url: "[^"]*/duet", from: "[^"]*"' -- '*.md' '*.swift' '*.tutorial' |
    grep --fixed-strings --invert-match ".package(url: \"$PACKAGE_URL\", from: \"$PACKAGE_VERSION\"" &&
    fault "These places do not name $PACKAGE_URL and $PACKAGE_VERSION, as scripts/package.env does."
[ "$(.build/debug/feed --version)" = "$PACKAGE_VERSION" ] || fault "feed --version is not $PACKAGE_VERSION."
grep --quiet "^## $PACKAGE_VERSION" CHANGELOG.md || fault "CHANGELOG.md has no section $PACKAGE_VERSION."

echo "README"
[ "$(wc --lines <README.md)" -le 150 ] || fault "README.md is longer than 150 lines."
head --lines=15 README.md | grep --quiet '```swift' || fault "README.md shows no code in its first 15 lines."

[ $failed -eq 0 ] && echo "✓ All checks passed."
exit $failed
