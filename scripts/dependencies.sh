#!/usr/bin/env bash
# Builds the targets of other packages, so that continuous integration measures their time apart from the project's
# time. The listed targets depend on all others that take long. The rest is built with the project. swift-syntax is built
# with the plugin: by its own name, it would be built a second time, for programs.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
for target in HummingbirdTesting HummingbirdHTTP2 HummingbirdTLS AsyncHTTPClient JWTKit GRDB Mustache ArgumentParser \
    DuetMacrosPlugin; do
    swift build --traits "$TRAITS" --quiet --target "$target"
done
