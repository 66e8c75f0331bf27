#!/usr/bin/env bash
# usage: dispatch.sh [BUILD OPTION...]    --disable-default-traits builds the core alone, and no macro
#
# Prints the cost of a dispatch, compared with a direct call through the handler's existential (any-handler, ratio 1).
#   time          median of 51 interleaved rounds in one run of DispatchBenchmark
#   instructions  callgrind's count at two numbers of calls, the difference divided by the calls
#   allocations   memcheck's count at two numbers of calls, the difference divided by the calls
set -euo pipefail
cd "$(dirname "$0")"

command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
swift build -c release --product DispatchBenchmark --quiet "$@"
bench=$(swift build -c release --show-bin-path "$@")/DispatchBenchmark
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

few=1000 many=21000

"$bench" times >"$work/times"

# Writes "KIND SUBJECT INSTRUCTIONS ALLOCATIONS" of one subject, both per call.
count() {
    local kind=$1 subject=$2 calls
    for calls in $few $many; do
        local run=("$bench" run "$subject" "$kind" $calls)
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "${run[@]}" 2>&1 >/dev/null |
            awk '/Collected/ { print $NF }'
        valgrind --tool=memcheck --leak-check=no --undef-value-errors=no "${run[@]}" 2>&1 >/dev/null |
            awk '/total heap usage/ { gsub(",", ""); print $5 }'
    done | paste -sd' ' | awk -v id="$kind $subject" -v calls=$((many - few)) \
        'NF < 4 { print "Valgrind has counted nothing for " id > "/dev/stderr"; exit 1 }
        { printf "%s %.1f %.3f\n", id, ($3 - $1) / calls, ($4 - $2) / calls }' >"$work/count.$kind.$subject"
}
export -f count
export few many bench work
awk '{ print $1, $2 }' "$work/times" | xargs -P "$(nproc)" -L 1 bash -euo pipefail -c 'count "$0" "$1"'

# Lines that begin with "= " are figures with their limits: name, measured, limit, met or missed.
awk '
    function figure(name, measured, limit) {
        figures = figures sprintf("= %s|%.2f|<= %s|%s\n", name, measured, limit, measured <= limit ? "met" : "MISSED")
    }
    # The limits of a container: the ratio to a direct call, and allocations, which include a handler that is a class.
    function container(subject, name, limit, count) {
        container_name[subject] = name; container_limit[subject] = limit; container_allocations[subject] = count
    }
    BEGIN {
        container("singleton", "singleton handler", 2.5, 0)
        container("transient-struct", "transient struct", 5, 1)
        container("transient-class", "transient class", 5, 2)
        container("overridden-scope", "transient struct in a scope that overrides another type", 6, 1)
    }
    FILENAME != ARGV[ARGC - 1] { instructions[$1, $2] = $3; allocations[$1, $2] = $4; next }
    { order[++n] = $1 SUBSEP $2; time[$1, $2] = $3 }
    END {
        format = "%-8s %-18s %9s %6s %13s %6s %12s   %s\n"
        printf format, "", "", "time, ns", "ratio", "instructions", "ratio", "allocations", "this layer: time, instructions"
        for (i = 1; i <= n; i++) {
            row = order[i]
            split(row, id, SUBSEP)
            base = id[1] SUBSEP "any-handler"
            if (allocations[row] < 0.005) allocations[row] = 0
            inner = id[2] == "plain-layer" ? id[1] SUBSEP "any-dispatcher" : order[i - 1]
            layer = ""
            if (id[2] ~ /layer/) {
                layerTime = (time[row] - time[inner]) / time[base]
                layerInstructions = (instructions[row] - instructions[inner]) / instructions[base]
                layer = sprintf("%.2f, %.2f", layerTime, layerInstructions)
                name = id[2] == "plain-layer" ? "a plain" : "an inlined"
                kind = id[1] ", " name " layer / direct call"
                if (!(kind in worstTime)) kinds[++kindCount] = kind
                if (layerTime > worstTime[kind]) worstTime[kind] = layerTime
                if (layerInstructions > worstInstructions[kind]) worstInstructions[kind] = layerInstructions
            }
            if (id[2] == "any-dispatcher") {
                figure(id[1] ", dispatcher / direct call: time", time[row] / time[base], 2.2)
                figure(id[1] ", dispatcher / direct call: instructions", instructions[row] / instructions[base], 2.0)
                figure(id[1] ", dispatcher: allocations", allocations[row], 0)
            }
            if (id[2] in container_limit) {
                limit = container_limit[id[2]]
                name = id[1] ", container, " container_name[id[2]]
                figure(name " / direct call: time", time[row] / time[base], limit)
                figure(name " / direct call: instructions", instructions[row] / instructions[base], limit)
                figure(name ": allocations", allocations[row], container_allocations[id[2]])
            }
            if (id[2] == "needs-scope") {
                name = id[1] ", container, handler that needs a scope / direct call"
                figure(name ": time", time[row] / time[base], 30)
                figure(name ": instructions", instructions[row] / instructions[base], 30)
            }
            if (id[2] == "checked-dispatcher") {
                concrete = id[1] SUBSEP "concrete-handler"
                figure(id[1] ", @Dispatcher / concrete call: time", time[row] / time[concrete], 1.1)
                figure(id[1] ", @Dispatcher / concrete call: instructions", instructions[row] / instructions[concrete], 1.1)
                figure(id[1] ", @Dispatcher: allocations", allocations[row], 0)
            }
            printf format, id[1], id[2], sprintf("%.1f", time[row]), sprintf("%.2f", time[row] / time[base]),
                sprintf("%.1f", instructions[row]), sprintf("%.2f", instructions[row] / instructions[base]),
                sprintf("%.2f", allocations[row]), layer
        }
        # The most expensive layer of each kind counts.
        for (i = 1; i <= kindCount; i++) {
            figure(kinds[i] ": time", worstTime[kinds[i]], 1.5)
            figure(kinds[i] ": instructions", worstInstructions[kinds[i]], 1.5)
        }
        printf "%s", figures
    }
' "$work"/count.* "$work/times"
