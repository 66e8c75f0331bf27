#!/usr/bin/env bash
# Builds the targets of other packages alone, so that continuous integration can tell their time from the project's own.
# These depend on all others that take long. What is missing here is built with the project.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
for target in HummingbirdTesting HummingbirdHTTP2 HummingbirdTLS AsyncHTTPClient JWTKit GRDB Mustache ArgumentParser \
    SwiftSyntaxMacrosGenericTestSupport SwiftCompilerPlugin; do
    swift build --traits "$TRAITS" --quiet --target "$target"
done
