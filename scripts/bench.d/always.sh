# Sourced by scripts/bench: what it costs to record all the time, at 19 Hz.
# shellcheck shell=bash disable=SC2034,SC2154

always_rate=19
always_rounds=7

# under_always COMMAND…: beside a profd that records all the time; $always_pid is the command's, and the capture of it
# $scratch/capture.json.
under_always() {
    PROFD_SOCKET=$scratch/always.sock "$build/bin/profd" --socket "$scratch/always.sock" --always "${always_rate}Hz" -- "$@"
}

capture_always() {
    PROFD_SOCKET=$scratch/always.sock "$profctl" --quiet capture --no-symbols -o "$scratch/capture.json"
}

# sample_us: what a sample of 40 frames takes from its thread.
sample_us() {
    "$profctl" run --no-symbols --quiet --rate "$always_rate" -o "$scratch/capture.json" -- \
        "$bench/program_gap" sampled 3 40 "$always_rate" | value gap_ns | awk '{ print $1 / 1000 }'
}

# start_us: CPU time that a process of the shell costs more where all are recorded.
start_us() {
    local count=500 bare round
    for ((round = 0; round < 5; round++)); do
        bare=$(seconds_of start_many "$count")
        echo "$bare $(seconds_of start_many "$count" under_always)"
    done | awk -v count="$count" '{ print ($4 - $2) * 1e6 / count }' | median
}

# agent_ms NAME: CPU time of the threads of ours in the processes of that name, which look where theirs sleep.
agent_ms() {
    local pid task
    for pid in $(pidof "$1"); do
        for task in "/proc/$pid/task"/*; do
            ! grep -q '^profd' "$task/comm" || cut -d' ' -f1 "$task/schedstat"
        done
    done | awk '{ sum += $1 } END { print sum / 1e6 }'
}

# added_percent SAMPLE-US START-US [LOOKS-MS]: of the CPU time in $scratch/capture.json, by what it takes: samples, which
# are one for each interval of CPU time, starts of processes, and looks at threads that sleep.
added_percent() {
    local cpu_ms
    cpu_ms=$("$profctl" report --processes --json "$scratch/capture.json" | grep -oE '"programs":\[.*' |
        grep -oE '"longestMs"|"program":"[^"]*","processes":[0-9]+,"ended":[0-9]+,"cpuMs":[0-9.]+' |
        grep -oE '[0-9.]+$' | awk '{ sum += $1 } END { print sum }')
    "$programs/capture_facts" <"$scratch/capture.json" | awk -F'\t' -v cpu_ms="$cpu_ms" -v rate="$always_rate" \
        -v sample_us="$1" -v start_us="$2" -v looks_ms="${3:-0}" '
        $1 == "process" { starts++ }
        END { print 100 * ((cpu_ms / 1000 * rate * sample_us + starts * start_us) / 1000 + looks_ms) / cpu_ms }'
}

redis_requests() {
    redis-benchmark -s "$scratch/redis.sock" -t get,set -n 300000 -c 20 --csv 2>/dev/null |
        awk -F'"' '$2 == "GET" || $2 == "SET" { sum += $4 } END { print sum / 2 }'
}

# redis_throughput COMMAND…: requests a second where the server runs under COMMAND.
redis_throughput() {
    "$@" redis-server --unixsocket "$scratch/redis.sock" --port 0 --save "" --appendonly no --dir "$scratch" \
        --daemonize no >"$scratch/redis.log" 2>&1 &
    background+=("$!")
    until redis-cli -s "$scratch/redis.sock" ping >/dev/null 2>&1; do sleep 0.05; done
    redis_requests
    if [ "$1" = under_always ]; then
        agent_ms redis-server >"$scratch/looks-ms"
        capture_always
    fi
    redis-cli -s "$scratch/redis.sock" shutdown nosave >/dev/null 2>&1 || true
    wait "$!" || true
}

# The server refuses to be root.
always_server() {
    as_server "$build/bin/profd" --socket "$server/always.sock" --always "${always_rate}Hz" -- "$@"
}

always_transactions() {
    start_postgres "$@" || return
    query --no-vacuum --select-only --client=8 --jobs=2 --time=4 2>/dev/null | awk '/^tps/ { print $3 }'
    [ "$1" != always_server ] ||
        as_server env PROFD_SOCKET="$server/always.sock" "$profctl" --quiet capture --no-symbols -o "$server/capture.json"
    [ "$1" != always_server ] || cp "$server/capture.json" "$scratch/capture.json"
    stop_postgres
}

# held_row WHAT: of throughputs "bare always" in $scratch/throughput: their ratio, which is to hold 1.
held_row() {
    awk '{ print $2 / $1 }' "$scratch/throughput" | ranged_figure "... throughput / bare" "x at least" 1
}

always_redis() {
    local what="always on at $always_rate Hz, CPU added, redis-benchmark" round
    command -v redis-benchmark >/dev/null || { not_measured "$what" "needs redis"; return; }
    rm -f "$scratch/throughput"
    for ((round = 0; round < always_rounds; round++)); do
        echo "$(redis_throughput env) $(redis_throughput under_always)" >>"$scratch/throughput"
    done
    figure "$what" "$(added_percent "$1" "$2" "$(cat "$scratch/looks-ms")")" % 0.5
    held_row
}

always_pgbench() {
    local what="always on at $always_rate Hz, CPU added, pgbench -S" postgres="" round
    find_postgres || { not_measured "$what" "needs postgresql"; return; }
    prepare_postgres || { not_measured "$what" "no server can be started: $(tail -n1 "$scratch/postgres.log")"; return; }
    rm -f "$scratch/throughput"
    for ((round = 0; round < always_rounds; round++)); do
        echo "$(always_transactions as_server) $(always_transactions always_server)" >>"$scratch/throughput"
    done
    figure "$what" "$(added_percent "$1" "$2")" % 0.5
    held_row
}

always_build() {
    local round
    generate_project
    rm -f "$scratch/throughput"
    compilation >/dev/null || return 0
    for ((round = 0; round < always_rounds; round++)); do
        echo "$(compilation) $(compilation under_always sh -c '"$@"; status=$?; PROFD_SOCKET='"$scratch/always.sock $profctl"' \
            --quiet capture --no-symbols -o '"$scratch/capture.json"'; exit $status' sh)" >>"$scratch/throughput"
    done
    figure "always on at $always_rate Hz, CPU added, make -j2 of 60 files" "$(added_percent "$1" "$2")" % 1
    awk '{ print $1 / $2 }' "$scratch/throughput" | ranged_figure "... throughput / bare (with a capture)" "x at least" 1
}

# Of 100 processes that work and end nothing.
always_memory() {
    local used
    start_daemon --always "${always_rate}Hz" -- sh -c "for i in \$(seq 100); do '$programs/busy' 0.3 '$scratch/busy.'\$i & done; wait"
    sleep 8
    used=$("$profctl" --json status | grep -oE '"kernel_bytes":[0-9]+' | cut -d: -f2)
    figure "... memory of agent and profd for a process" \
        "$(awk -v used="$used" '/VmRSS/ { print (used / 1024 + $2) / 1024 / 100 }' "/proc/$daemon/status")" MB 1
    stop_daemon
}

always() {
    local sample start
    sample=$(sample_us)
    start=$(start_us)
    row "a sample, a start, where all is recorded" "$(printf '%.1f us, %.0f us' "$sample" "$start")" - -
    always_redis "$sample" "$start"
    always_pgbench "$sample" "$start"
    always_build "$sample" "$start"
    always_memory
}
