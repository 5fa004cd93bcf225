#!/bin/bash
# Which clock takes the samples: what is asked for, and who hears of it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

is_in_status() {
    "$profctl" status --json | grep -qF "$1"
}

test_a_clock_that_is_none_is_refused() {
    expect 2 "$profctl" run --clock pref -- touch started
    one_line stderr
    says "'pref' is not one of auto, cpu, perf, wall; did you mean 'perf'\?" stderr
    [ ! -e started ]
    start_profd
    expect 2 "$profctl" start --clock monotonic
    one_line stderr
    says "'monotonic' is not one of" stderr
    expect 2 "$profctl" start --clock
    one_line stderr
    expect 0 "$profctl" status
    says '^session +idle' stdout
}

test_a_clock_of_the_environment_that_is_none_is_told_and_nothing_is_recorded() {
    expect 42 env -u PROFD_SOCKET LD_PRELOAD="$build/lib/libprofd.so" PROFD_STARTUP=1 \
        PROFD_STARTUP_CLOCK=pref PROFD_SHUTDOWN=out.json sh -c 'exit 42'
    one_line stderr
    says "PROFD_STARTUP_CLOCK 'pref' is not one of auto, cpu, perf, wall; did you mean 'perf'\?; nothing is recorded" stderr
    [ ! -e out.json ]
}

# From before they are connected.
test_programs_of_the_session_are_told_its_clock() {
    for clock in cpu perf wall; do
        expect 0 "$profctl" --quiet run --clock $clock -o out.json -- env
        [ "$(grep ^PROFD_STARTUP_CLOCK= stdout)" = PROFD_STARTUP_CLOCK=$clock ] || fail "$(grep PROFD stdout)"
    done
    expect 0 env PROFD_STARTUP_CLOCK=wall "$profctl" --quiet run -o out.json -- env
    refute grep ^PROFD_STARTUP_CLOCK= stdout
}

test_the_clock_outlives_a_profd_that_is_killed() {
    start_profd
    expect 0 "$profctl" start --clock wall
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
    start_profd
    expect 0 "$profctl" status --json
    says '"clock":"wall"' stdout
}

# clocked CLOCK REFUSAL INTERVAL_NS: an agent that says so; its process id is in $background.
clocked() {
    in_background "$programs/clocked" "$PROFD_SOCKET" "$@" >clocked.out
    wait_until grep -q told clocked.out
}

test_the_clock_of_each_process_is_told() {
    start_profd
    expect 0 "$profctl" start --clock perf --interval 1ms
    clocked 2 0 1000000
    grep -qx 'told perf' clocked.out || fail "$(cat clocked.out)"
    clocked 2 0 1000000
    clocked 1 1 4000000
    expect 0 "$profctl" status
    says '^clock +perf, 1 ms in 2 processes$' stdout
    says '^ +cpu, 4 ms in 1 process; not as requested: the kernel refuses perf events \(sysctl kernel.perf_event_paranoid\)$' stdout
    expect 0 "$profctl" status --json
    says '"clocks":\[{"clock":"perf","processes":2,"shortest_interval_ns":1000000,"longest_interval_ns":1000000},{"clock":"cpu","processes":1,' stdout
    says '"clock":"cpu","clock_interval_ns":4000000,"clock_refused":"the kernel refuses' stdout
    kill -KILL "$background"
    wait_until is_in_status '"ended":1'
    expect 0 "$profctl" capture -o out.json
    says '"clock":"cpu","clockInterval":4,"clockRefused":"the kernel refuses perf events' out.json
    [ "$(grep -oF '"clock":"perf","clockInterval":1,"clockRefused":null' out.json | wc -l)" -eq 2 ] ||
        fail "$(grep -o '"clock":.\{60\}' out.json)"
}

test_report_tells_the_clock_and_how_to_look_closer() {
    start_profd
    expect 0 "$profctl" start --interval 1ms
    clocked 1 0 4000000
    grep -qx 'told auto' clocked.out || fail "$(cat clocked.out)"
    expect 0 "$profctl" status
    says "^clock +cpu, 4 ms in 1 process: the kernel's tick; --clock perf for 1 ms$" stdout
    kill -KILL "$background"
    wait_until is_in_status '"ended":1'
    expect 0 "$profctl" capture -o out.json
    expect 0 "$profctl" report out.json
    says "^clock: cpu, 4 ms: the kernel's tick; --clock perf for 1 ms$" stdout
    expect 0 "$profctl" report --json out.json
    says '"clocks":\[{"clock":"cpu","processes":1,"shortestIntervalMs":4,"longestIntervalMs":4,"refused":null}\]' stdout
}

# --- The perf clock ---

may_have_events() {
    [ "$(id -u)" -eq 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ] ||
        skip "needs perf events"
}

value_of() {
    awk -F'\t' -v name="$1" '$1 == "value" && $2 == name { printf "%.0f", $3 }' stdout
}

# Samples for a second of CPU time, of the busy thread that has the fewest. The main thread works for
# some milliseconds only, at the beginning, when it may not have its event yet.
slowest_busy_rate() {
    awk -F'\t' '$1 == "thread" && $3 ~ /^busy/ { printf "%.0f\n", $7 }' stdout | sort -n | head -n 1
}

# Without a look from outside, it would wake up once more in each sleep.
test_wall_sees_where_threads_sleep_and_does_not_wake_them() {
    expect 0 "$profctl" run --clock wall -o out.json -- "$programs/counts_wakes"
    sed 's/slept \([0-9]*\), left \([0-9]*\)/\1 \2/' stdout >counts
    awk '$2 > $1 + $1 / 10 { exit 1 }' counts || fail "it was woken: $(cat stdout)"
    read_facts out.json
    has_function counts_wakes clock_nanosleep
    has_function counts_wakes main
}

# percent_below FUNCTION: of all samples.
percent_below() {
    "$profctl" report --all --top 30 out.json | awk -v name="$1" '$5 == name { printf "%.0f\n", $4 }'
}

# What is left of one below the stack pointer could be taken for the other.
test_wall_tells_two_that_wait_at_the_same_place_of_the_stack() {
    local truth seen
    expect 0 "$profctl" run --clock wall -o out.json -- "$programs/aligned_waits"
    truth=$(cat stdout) seen=$(percent_below wait_long)
    [ $((seen - truth)) -le 12 ] && [ $((truth - seen)) -le 12 ] || fail "$seen % are below it, in truth $truth %"
}

test_perf_samples_at_the_interval() {
    may_have_events
    expect 0 "$profctl" run --clock perf --interval 1ms -o out.json -- "$programs/known_truth" busy 1
    mv stdout truth
    expect 0 "$profctl" report out.json
    says '^clock: perf, 1 ms$' stdout
    expect 0 "$programs/judge_truth" truth out.json
    [ "$(slowest_busy_rate)" -ge 600 ] || fail "$(slowest_busy_rate) samples for a second of CPU time"
}

test_perf_has_no_descriptor_of_the_program() {
    may_have_events
    start_profd
    expect 0 "$profctl" start --clock perf
    in_background env LD_PRELOAD="$build/lib/libprofd.so" WITH_IDLE_THREAD=1 "$programs/busy" 60
    wait_until is_in_status '"clock":"perf","clock_interval_ns":1000000'
    [ -z "$(find "/proc/$background/fd" -lname '*perf_event*')" ]
    has_event "$background"
}

# They are in the table of the agent's thread, which goes on.
test_perf_events_and_other_files_end_with_their_session() {
    may_have_events
    start_profd
    in_background env LD_PRELOAD="$build/lib/libprofd.so" WITH_IDLE_THREAD=1 "$programs/busy" 60
    for _ in 1 2 3; do
        expect 0 "$profctl" start --clock perf --features stacks,cpu,processcpu,processmemory
        wait_until has_event "$background"
        expect 0 "$profctl" stop
        wait_until has_no_event "$background"
    done
    [ -z "$(find "/proc/$background"/task/*/fd -lname '*/statm')" ]
}

# With paused sampling nobody has an event; afterwards everybody has.
test_perf_pauses() {
    may_have_events
    start_profd
    expect 0 "$profctl" start --clock perf
    in_background env LD_PRELOAD="$build/lib/libprofd.so" WITH_IDLE_THREAD=1 "$programs/busy" 60
    wait_until has_event "$background"
    expect 0 "$profctl" pause
    wait_until has_no_event "$background"
    expect 0 "$profctl" resume
    wait_until has_event "$background"
    expect 0 "$profctl" stop
    wait_until has_no_event "$background"
}

has_event() {
    [ -n "$(find "/proc/$1"/task/*/fd -lname '*perf_event*' 2>find.log)" ]
}

has_no_event() {
    ! has_event "$1"
}

# perf_busy [SECONDS]: a program of one thread in a session with the perf clock.
# shellcheck disable=SC2120
perf_busy() {
    may_have_events
    start_profd
    expect 0 "$profctl" start --clock perf
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" "${1-60}"
}

test_perf_of_an_only_thread_is_kept_by_profd() {
    perf_busy
    wait_until has_event "$daemon"
    wait_until is_in_status '"clock":"perf","clock_interval_ns":1000000'
    has_no_event "$background"
    [ "$(find "/proc/$background/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
    kill -KILL "$background"
    wait_until has_no_event "$daemon"
}

test_perf_of_an_only_thread_ends_with_the_session() {
    perf_busy
    wait_until has_event "$daemon"
    expect 0 "$profctl" stop
    wait_until has_no_event "$daemon"
    expect 0 "$profctl" start --clock perf
    wait_until has_event "$daemon"
}

test_perf_of_an_only_thread_outlives_a_profd_that_is_killed() {
    perf_busy
    wait_until has_event "$daemon"
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
    start_profd
    wait_until has_event "$daemon"
}

# busy execs nothing; a shell runs one program after the other as the same process.
test_perf_does_not_outlive_an_exec() {
    may_have_events
    start_profd
    expect 0 "$profctl" start --clock perf
    mkfifo go
    in_background env LD_PRELOAD="$build/lib/libprofd.so" bash -c \
        'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; read -r _ <go; exec env -u LD_PRELOAD sleep 60'
    wait_until has_event "$daemon"
    echo >go
    wait_until has_no_event "$daemon"
}

# Its program has two threads for a moment only.
test_perf_moves_to_a_thread_of_ours_with_the_second_of_the_program() {
    may_have_events
    start_profd
    expect 0 "$profctl" start --clock perf
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/late_thread" go 60
    wait_until has_event "$daemon"
    touch go
    wait_until has_event "$background"
    wait_until has_no_event "$daemon"
}

test_perf_leaves_their_signals_to_the_program() {
    may_have_events
    expect 0 "$profctl" run --clock perf --interval 100us -o out.json -- "$programs/own_descriptors"
    says ' 0 by others' stderr
    expect 0 "$profctl" report out.json
    says '^clock: perf, 100 us$' stdout
}

test_perf_cuts_no_call_short() {
    may_have_events
    expect 0 "$profctl" --quiet run --clock perf --interval 100us -o out.json -- "$programs/uninterrupted"
}

test_perf_that_the_kernel_refuses_is_told() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] || skip "everybody may have perf events"
    mkdir -m 777 for_all
    expect 0 setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$profctl" run --clock perf -o for_all/out.json -- "$programs/known_truth" busy 0.5
    mv stdout truth
    expect 0 "$profctl" report for_all/out.json
    says '^clock: cpu, .*; not as requested: the kernel refuses perf events' stdout
    expect 0 "$programs/judge_truth" truth for_all/out.json
    [ "$(value_of samples)" -gt 0 ] || fail "there are no samples"
}

run_tests "$@"
