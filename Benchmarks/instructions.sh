#!/usr/bin/env bash
# Compares the instructions of a call, as a ratio to a direct call, and its allocations with Benchmarks/instructions.txt.
# A row that is more than 3 % or a whole allocation worse is a fault. A worse figure is written there only with its cause.
#
# usage: instructions.sh [write]    write replaces the file by what was counted
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
options=(-c release --scratch-path .build/instructions --traits Instructions)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in DispatchBenchmark InstructionsBenchmark; do
    swift build "${options[@]}" --quiet --product $program
    # Valgrind 3.19 cannot read all debug information of Swift.
    strip --strip-debug -o "$work/$program" "$(swift build "${options[@]}" --show-bin-path)/$program"
done

# Prints a name, and the instructions and allocations of a call: count NAME PROGRAM ARGUMENT...
few=1000 many=11000
count() {
    local calls run
    for calls in $few $many; do
        run=("$work/$2" "${@:3}" $calls)
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "${run[@]}" 2>&1 | awk '/Collected/ { print $NF }'
        valgrind --tool=memcheck --leak-check=no --undef-value-errors=no "${run[@]}" 2>&1 |
            awk '/total heap usage/ { gsub(",", ""); print $5 }'
    done | paste -sd ' ' | awk -v name="$1" -v calls=$((many - few)) '
        NF < 4 { print "Valgrind has counted nothing for " name > "/dev/stderr"; exit 1 }
        { printf "%s|%.2f|%.2f\n", name, ($3 - $1) / calls, ($4 - $2) / calls }'
}
{
    for kind in query command; do count "direct $kind" DispatchBenchmark run any-handler $kind; done
    for kind in query command; do
        count "dispatched $kind" DispatchBenchmark run any-dispatcher $kind
        count "container's $kind" DispatchBenchmark run singleton $kind
    done
    count "cache hit" InstructionsBenchmark hits
    for kind in query command answer; do count "mounted $kind" InstructionsBenchmark $kind; done
    count "sent command" InstructionsBenchmark sent
} >"$work/counts"

# Lines of the file: the name, the ratio, the allocations. Rows of commands are compared with the direct command.
awk -F'|' -v OFS='|' '
    NR <= 2 { direct[NR] = $2 }
    { printf "%s|%.2f|%.1f\n", $1, $2 / direct[$1 ~ /command/ ? 2 : 1], $3 < 0.05 ? 0 : $3 }' "$work/counts" >"$work/now"
if [ "${1-}" = write ]; then
    { grep '^#' instructions.txt 2>/dev/null || true; cat "$work/now"; } >"$work/new"
    mv "$work/new" instructions.txt
fi
awk -F'|' '
    /^#/ { next }
    FILENAME == ARGV[1] { ratio[$1] = $2; allocations[$1] = $3; next }
    BEGIN { format = "%-22s %10s %10s %12s %12s  %s\n"; printf format, "", "ratio", "noted", "allocations", "noted", "" }
    {
        fault = !($1 in ratio) ? "not noted" : $2 > ratio[$1] * 1.03 || $3 >= allocations[$1] + 1 ? "WORSE" : ""
        if (fault) failed = 1
        printf format, $1, $2, ratio[$1], $3, allocations[$1], fault
    }
    END { exit failed }' instructions.txt "$work/now"
