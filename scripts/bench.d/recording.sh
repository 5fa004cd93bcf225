# Sourced by scripts/bench: what programs record themselves, and allocations.
# shellcheck shell=bash disable=SC2154

recording() {
    table < <("$bench/program_disabled")
    table < <(run_profiled "$bench/program_recording")
}

groups() {
    table < <("$bench/program_groups")
    many_groups
}

# Of profd, in kilobytes: a child's groups are in memory that both share.
groups_kilobytes() {
    "$profctl" --json status | grep -oE '"kernel_bytes":[0-9]+' | head -n1 | cut -d: -f2 | awk '{ print $1 / 1024 }'
}

# many_groups_of PROCESSES EACH WHAT…: does WHAT beside a profd with so many groups in each of its processes.
many_groups_of() {
    local processes=$1 each=$2
    shift 2
    rm -f "$scratch/ready"
    start_daemon --groups all --memory-limit 2G -- "$bench/program_many_groups" "$processes" "$each" "$scratch/ready"
    until [ -s "$scratch/ready" ]; do sleep 0.05; done
    "$@"
    stop_daemon
}

snapshots() {
    local round
    for ((round = 0; round < rounds; round++)); do
        seconds_of "$profctl" groups --json >>"$scratch/snapshots"
    done
    groups_kilobytes >"$scratch/with-groups"
}

# What a process takes besides its groups is measured with one group in it.
many_groups() {
    local processes=10 each=10000
    many_groups_of "$processes" "$each" snapshots
    many_groups_of "$processes" 1 groups_kilobytes >"$scratch/without-groups"
    figure "a snapshot of 10 processes of 10,000 groups each" "$(median <"$scratch/snapshots" | awk '{ print $1 * 1000 }')" ms 100
    figure "... memory for a group" "$(paste "$scratch/with-groups" "$scratch/without-groups" |
        awk -v count=$((processes * each)) '{ print ($1 - $2) * 1024 / count }')" bytes 256
}

marker_size() {
    local bytes blocks
    run_profiled "$bench/program_typed_markers" || return
    # Of the busiest process: the rest of its blocks are a few samples.
    bytes=$(grep -oE '"keptBytes":[0-9]+' "$scratch/capture.json" | cut -d: -f2 | sort -g | tail -n 1)
    blocks=$(grep -oE '"keptBlocks":[0-9]+' "$scratch/capture.json" | cut -d: -f2 | sort -g | tail -n 1)
    figure "bytes of a marker with an int and a string" \
        "$(awk -v bytes="$bytes" -v blocks="$blocks" 'BEGIN { print bytes / blocks }')" B 16
}

counters() {
    table < <(run_profiled "$bench/program_counters")
}

tracepoint() {
    local what="marker / LTTng-UST's tracepoint"
    if ! command -v lttng >/dev/null || [ ! -x "$bench/program_lttng" ]; then
        not_measured "$what" "needs lttng-tools and liblttng-ust-dev"
        return
    fi
    export LTTNG_HOME=$scratch
    if ! lttng --quiet list >/dev/null 2>&1; then
        lttng-sessiond --no-kernel >/dev/null 2>&1 &
        background+=($!)
        until lttng --quiet list >/dev/null 2>&1; do sleep 0.05; done
    fi
    lttng --quiet create profd-bench --output "$scratch/lttng" >/dev/null
    lttng --quiet enable-event --userspace 'profd_bench:*' >/dev/null
    lttng --quiet start >/dev/null
    table < <(run_profiled "$bench/program_lttng")
    lttng --quiet destroy profd-bench >/dev/null
}

allocations() {
    table < <(LD_PRELOAD=$build/lib/profd/libprofd-malloc.so "$bench/program_malloc" idle)
    table < <(features=stacks,cpu,memory run_profiled "$bench/program_malloc" memory)
    table < <(features=stacks,cpu,nativeallocs run_profiled "$bench/program_malloc" nativeallocs)
}
