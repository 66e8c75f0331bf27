#!/usr/bin/env bash
# Runs all tests without building them, and repeats the failures at the end.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
log=.build/tests.log

# Eight tests at a time, so that no test waits long for its turn. Hashes differ from run to run, so that a test that
# depends on the order of a set or a dictionary fails.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 env --unset=SWIFT_DETERMINISTIC_HASHING \
    swift test --traits "$TRAITS" --skip-build 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] && exit 0

echo "Failures; the complete log is in $log:"
grep -a '^✘' "$log" | tail -20
# The reason and the place of a crash.
grep -a 'Fatal error' "$log" | tail -3
sed -n '/^Thread .* crashed:$/,/^Thread/p' "$log" | head -30
exit "$status"
