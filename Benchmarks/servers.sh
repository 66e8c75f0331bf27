# Starts and stops the servers that a benchmark measures; to be sourced, with `bench` and `work` set.
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" || true; done
    servers=()
}
trap 'stop; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Starts the benchmark's program as a server, under a name and with arguments, and sets `port` to where it listens.
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
    echo "$1 does not start:" >&2
    cat "$work/$1.log" >&2
    exit 1
}
