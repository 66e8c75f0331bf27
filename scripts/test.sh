#!/usr/bin/env bash
# Runs all tests without building them, and repeats the failures at the end.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/traits.env
log=.build/tests.log
tests=$(swift build --traits "$TRAITS" --show-bin-path)/duetPackageTests.xctest
: >"$log"

# Eight tests at a time, so that no test waits long for its turn. Hashes differ from run to run, so that a test that
# depends on the order of a set or a dictionary fails. After 40 minutes the run is stopped, and prints its stacks: on a
# machine that others use, too, it has taken 16.
# The output goes to a file, because a process that a test leaves behind would keep a pipe open forever.
SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8 SWIFT_BACKTRACE=enable=yes,threads=all,color=no,interactive=no \
    env --unset=SWIFT_DETERMINISTIC_HASHING timeout --signal=ABRT --kill-after=60 "${TEST_SECONDS:-2400}" \
    "$tests" --testing-library swift-testing >"$log" 2>&1 &
tail --follow --lines=+1 --pid=$! "$log"
wait $!
status=$?
[ "$status" -eq 0 ] && exit 0

echo "Failures; the complete log is in $log:"
grep -a '^✘' "$log" | tail -20
# The reason and the place of a crash.
grep -a 'Fatal error' "$log" | tail -3
sed -n '/^Thread .* crashed:$/,/^Thread/p' "$log" | head -30
# Last, so that it is not far above the end.
if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    echo "The tests did not end within ${TEST_SECONDS:-2400} s. These had begun:"
    perl -ne '
        next if !/^\S+ Test (".*?"|\S+\(.*?\)) .*?(started|passed|failed)\b/ || /^\S+ Test case/;
        $2 eq "started" ? $running{$1} = 1 : delete $running{$1};
        END { print "    $_\n" for sort keys %running }' "$log"
fi
exit "$status"
