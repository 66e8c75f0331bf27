#!/usr/bin/env bash
# Builds the products of other packages that Package.swift names, so that continuous integration measures their time
# apart from the project's: a package beside this one names them, and is built into the folder of this one. swift-syntax
# is for a macro, because it would be built a second time for programs.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT

mkdir -p "$package/Sources/Products" "$package/Sources/Plugin"
echo '// Nothing.' | tee "$package/Sources/Products/Products.swift" >"$package/Sources/Plugin/Plugin.swift"
perl -0 -ne '
    my @packages = /^        (\.package\(.*\),)$/mg;
    # products(["A", "B"], from: "package", for: …)
    while (/products\(\s*\[(.*?)\],\s*from: "(.*?)"/gs) {
        my ($names, $package) = ($1, $2);
        push @{$package eq "swift-syntax" ? \@plugin : \@products},
            map { ".product(name: \"$_\", package: \"$package\")," } $names =~ /"(.*?)"/g;
    }
    my ($platforms) = /^    (platforms: .*)$/m;
    print "// swift-tools-version: 6.2\nimport CompilerPluginSupport\nimport PackageDescription\n",
        "let package = Package(\n    name: \"dependencies\",\n    $platforms\n    dependencies: [@packages],\n    targets: [\n",
        "        .macro(name: \"Plugin\", dependencies: [@plugin]),\n",
        "        .target(name: \"Products\", dependencies: [\"Plugin\", @products]),\n    ]\n)\n";' \
    Package.swift >"$package/Package.swift"
grep --quiet swift-syntax "$package/Package.swift"
# shellcheck disable=SC2086
swift build --package-path "$package" --scratch-path .build ${BUILD_FLAGS-} --quiet --target Products
