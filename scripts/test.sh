#!/usr/bin/env bash
# Runs all tests as they are built, and says at the end what failed, which is far above otherwise.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
log=.build/tests.log

# So many tests at a time that none of them has to wait for its turn for long. Hashes differ from run to run here, so that a test that
# depends on the order of a set or a dictionary fails.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 env --unset=SWIFT_DETERMINISTIC_HASHING \
    swift test --traits "$TRAITS" --skip-build 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
[ "$status" -eq 0 ] && exit 0

echo "What failed, of all that is in $log:"
grep -a '^✘' "$log" | tail -20
# Of a process that ended: why, and where.
grep -a 'Fatal error' "$log" | tail -3
sed -n '/^Thread .* crashed:$/,/^Thread/p' "$log" | head -30
exit "$status"
