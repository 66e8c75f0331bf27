#!/usr/bin/env bash
# Prints the name and the release of each package that the last build used, as scripts/packages.txt lists them.
set -euo pipefail
cd "$(dirname "$0")/.."
jq --raw-output '.pins[] | "\(.identity) \(.state.version // .state.branch // .state.revision)"' Package.resolved | LC_ALL=C sort
