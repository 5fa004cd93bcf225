# Sourced by scripts/bench: profiling something, with profctl or with perf.
# shellcheck shell=bash disable=SC2034,SC2154

# Of a profctl that has no choice, the clock that it has.
if "$profctl" run --help | grep -q -e --clock; then
    read -ra clocks <<<"${CLOCKS:-cpu perf}"
else
    clocks=("")
fi

# clock_name CLOCK: as a row has it.
clock_name() {
    echo "${1:-its} clock"
}

# profctl_run CLOCK OPTION…: as users call it; the capture is $scratch/capture.json.
profctl_run() {
    local clock=$1
    shift
    "$profctl" --quiet run ${clock:+--clock "$clock"} -o "$scratch/capture.json" "$@"
}

# run_profiled COMMAND…: its output, with the capture in $scratch/capture.json. With $features and $clock, if set.
run_profiled() {
    "$profctl" run --no-symbols --interval 1ms ${clock:+--clock "$clock"} ${features:+--features "$features"} \
        --memory-limit 32M -o "$scratch/capture.json" -- "$@" 2>"$scratch/stderr" ||
        { cat "$scratch/stderr" >&2; return 1; }
}

perf_record() {
    perf record -q -e cpu-clock -F 1000 -g -o "$scratch/perf.data" -- "$@"
}

can_perf() {
    command -v perf >/dev/null && perf_record true >/dev/null 2>&1
}

# seconds_of COMMAND…: "WALL CPU" of all that it ran and waited for.
seconds_of() {
    local TIMEFORMAT='%3R %3U %3S'
    { time "$@" >"$scratch/stdout" 2>"$scratch/stderr" </dev/null; } 2>&1 | awk '{ print $1, $2 + $3 }'
    return "${PIPESTATUS[0]}"
}
