# Starts, stops and compares the servers that a benchmark measures. Set `bench` and `work`, and source this file.
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" || true; done
    servers=()
}
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Starts the benchmark's program as a server, and sets `port`: start NAME ARGUMENT...
start() {
    local out=$work/$1.port
    : >"$out"
    "$bench" "${@:2}" >"$out" 2>"$work/$1.log" &
    servers+=($!)
    for _ in $(seq 200); do
        port=$(head -n 1 "$out")
        [ -z "$port" ] || return 0
        sleep 0.05
    done
    echo "The server $1 does not start:" >&2
    cat "$work/$1.log" >&2
    exit 1
}

# The processor time of a process so far, in clock ticks.
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

# A function for awk: the median of `values[KIND, ROW]`, which are separated by spaces.
median_of_values='
    function median(kind, row,    list, n, i, j, value) {
        n = split(values[kind, row], list, " ")
        for (i = 2; i <= n; i++) {
            value = list[i] + 0
            for (j = i - 1; j >= 1 && list[j] + 0 > value; j--) list[j + 1] = list[j]
            list[j + 1] = value
        }
        return list[int((n + 1) / 2)] + 0
    }
'

# Runs wrk against two servers in turn, with sixteen connections, and prints a figure: the requests per second of the
# first server divided by those of the second, as medians of the rounds. The first round warms up and is not counted.
# Set `rounds` and `seconds`.
#
# usage: compare FIRST-NAME FIRST-URL SECOND-NAME SECOND-URL WHAT LIMIT
compare() {
    local round first=$1 second=$3
    for round in $(seq 0 "$rounds"); do
        if ((round % 2)); then
            count_requests "$1" "$2"
            count_requests "$3" "$4"
        else
            count_requests "$3" "$4"
            count_requests "$1" "$2"
        fi
    done
    echo "Requests per second with sixteen connections: $second $(median "$second"), $first $(median "$first")."
    awk -v first="$(median "$first")" -v second="$(median "$second")" -v what="$5" -v limit="$6" 'BEGIN {
        ratio = first / second
        printf "= requests/s of %s|%.2f|>= %s|%s\n", what, ratio, limit, (ratio >= limit ? "met" : "MISSED")
    }'
}

# Adds the requests per second of a round to a server's samples.
count_requests() {
    wrk --threads 1 --connections 16 --duration "${seconds}s" "$2" >"$work/wrk"
    if grep -E 'Non-2xx|Socket errors' "$work/wrk" >&2; then exit 1; fi
    [ "$round" -eq 0 ] || awk '/^Requests\/sec:/ { print $2 }' "$work/wrk" >>"$work/$1.samples"
}

median() { sort -n "$work/$1.samples" | sed -n "$((rounds / 2 + 1))p"; }
