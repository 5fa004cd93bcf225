#!/bin/bash
# profd --always: a session that is always on, and others beside it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_always [COMMAND…]: profd with a session of its own.
start_always() {
    start_profd --always 20Hz ${1+-- "$@"}
    wait_until is_on
}

is_on() {
    "$profctl" status --json | grep -q '"state":"active"'
}

# start_workers: one program of one thread and one of two, in files one and two.
start_workers() {
    echo "'$programs/holds_label' one & WITH_IDLE_THREAD=1 '$programs/holds_label' two & wait" >workers.sh
    start_always sh workers.sh
    wait_until [ -f one ]
    wait_until [ -f two ]
}

# interval_is NS…: what the processes are told to sample at is the finest of the sessions' intervals.
interval_is() {
    "$profctl" status --json >status.json
    grep -q "\"interval_ns\":$1,\"clock\"" status.json
}

# samples: of both workers in ./facts, the fewest of the two.
samples() {
    awk -F'\t' '$1 == "process" && $3 == "holds_label" { pids[$2] = 1 }
        $1 == "thread" && $2 in pids && $4 > most[$2] { most[$2] = $4 }
        END { for (pid in most) print most[pid] }' facts | sort -n | head -n 1
}

has_samples() {
    expect 0 "$profctl" capture -o some.json
    read_facts some.json
    [ "$(samples)" -ge "$1" ]
}

# first_sample: the earliest one of both workers, in ms since the session began.
first_sample() {
    awk -F'\t' '$1 == "process" && $3 == "holds_label" { pids[$2] = 1 }
        $1 == "thread" && $2 in pids && $4 > 1 { print int($5) }' facts | sort -n | head -n 1
}

test_it_records_without_being_asked() {
    start_workers
    wait_until has_samples 5
    has_function holds_label burn_outer
    has_function holds_label 'held label'
    expect 0 "$profctl" status
    says '^sessions +always on, each 50 ms' stdout
    says '^a minute +[0-9.]+ ms of CPU in profd' stdout
    expect 0 "$profctl" capture --last 1s -o last.json
    read_facts last.json
    has_process holds_label
}

test_features_without_it_are_refused() {
    expect 1 "$profd" --socket "$PROFD_SOCKET" --always-features cpu
    one_line stderr
    says '^profd: --always-features requires --always$' stderr
    echo '{ "export": "clickhouse://h/d", "always_features": "cpu" }' >config.json
    expect 1 "$profd" --socket "$PROFD_SOCKET" --config config.json
    one_line stderr
    says '^profd: config.json: always_features: requires "always" or --always$' stderr
    expect 2 "$profd" --socket "$PROFD_SOCKET" --always 19Hz --always-features cpus
    one_line stderr
}

test_it_cannot_be_stopped_or_paused() {
    start_always
    for command in stop pause resume "pause --sampling" "capture --stop -o out.json"; do
        # shellcheck disable=SC2086
        expect 1 "$profctl" $command
        one_line stderr
        says 'always on' stderr
    done
    is_on
}

test_another_one_beside_it_has_its_own_rate_and_beginning() {
    start_workers
    wait_until has_samples 3
    expect 0 "$profctl" start --interval 1ms
    interval_is 1000000
    expect 0 "$profctl" status
    says '^sessions +always on, each 50 ms.*; of profctl, each 1 ms' stdout
    expect 1 "$profctl" start
    says 'already active' stderr
    expect 1 "$profctl" pause
    says 'two sessions' stderr
    # Five samples of it are not yet one of the other.
    wait_until has_samples 40
    has_function holds_label 'held label'
    [ "$(first_sample)" -ge 100 ] || fail "there is what was recorded before: $(first_sample) ms"
    expect 0 "$profctl" stop
    interval_is 50000000
    is_on
    expect 0 "$profctl" capture -o all.json
    read_facts all.json
    [ "$(samples)" -ge 43 ] || fail "only $(samples) samples are left"
    has_function holds_label 'held label'
}

test_a_capture_that_stops_ends_the_one_beside_it_only() {
    start_workers
    expect 0 "$profctl" start
    expect 0 "$profctl" capture --stop -o out.json
    wait_until interval_is 50000000
    is_on
}

test_a_new_process_has_the_finer_rate() {
    start_always
    expect 0 "$profctl" start --interval 1ms
    in_background env PROFD_SOCKET="$PROFD_SOCKET" LD_PRELOAD="$build/lib/libprofd.so" "$programs/holds_label" one
    wait_until has_samples 20
}

# cpu_ticks PID: as the kernel counts, of 10 ms each.
cpu_ticks() {
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

has_used() {
    [ "$(cpu_ticks "$1")" -ge "$2" ]
}

# cpu_time_adds_up NAME=VALUE: of a process for which the terms change three times.
cpu_time_adds_up() {
    in_background env "$@" LD_PRELOAD="$build/lib/libprofd.so" "$programs/holds_label" "begun $1"
    local pid=$background least most ms
    wait_until [ -f "begun $1" ]
    for interval in 1ms 2ms; do
        wait_until has_used "$pid" $(($(cpu_ticks "$pid") + 10))
        expect 0 "$profctl" start --interval $interval
        wait_until has_used "$pid" $(($(cpu_ticks "$pid") + 10))
        expect 0 "$profctl" stop
    done
    least=$(cpu_ticks "$pid")
    expect 0 "$profctl" capture -o all.json
    most=$(cpu_ticks "$pid")
    expect 0 "$profctl" report --processes --json all.json
    ms=$(grep -o "\"pid\":$pid,.*" stdout | grep -o '"cpuMs":[0-9.]*' | head -n 1 | cut -d: -f2)
    awk -v got="$ms" -v least=$((least * 10 - 30)) -v most=$((most * 10 + 30)) \
        'BEGIN { exit !(got >= least && got <= most) }' || fail "$ms ms instead of ${least}0 to ${most}0 ($1)"
}

test_cpu_time_adds_up_over_a_change() {
    start_always
    cpu_time_adds_up ALONE=1
    cpu_time_adds_up WITH_IDLE_THREAD=1
}

# start_napping WORD: a process that waits, beside a session of a second's interval.
start_napping() {
    start_profd --always 1Hz
    wait_until is_on
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/holds_label" one "$1" begun
    wait_until [ -f one ]
    expect 0 "$profctl" start --interval 1ms
}

is_burning() {
    expect 0 "$profctl" capture -o some.json
    expect 0 "$profctl" report --tree some.json
    grep -q burn_outer stdout
}

test_labels_are_known_in_a_child_that_is_forked_after_a_change() {
    start_napping fork
    touch begun
    wait_until is_burning
    says 'held label' stdout
    pkill -KILL -f "$programs/holds_label one fork" || true
}

# It has no tick of the old interval for minutes.
test_who_waits_hears_of_a_change() {
    start_napping go
    wait_until has_samples 3
    kill -KILL "$background"
}

# last_one_burns PID: what it did last is in last.json, if it had a processor meanwhile.
last_one_burns() {
    expect 0 "$profctl" capture --pid "$1" --last 500ms -o last.json
    expect 0 "$profctl" report --tree last.json
    grep -q burn_outer stdout
}

# keeps_all NAME=VALUE: markers, counters and labels of a process for which the terms change many times.
keeps_all() {
    rm -f tally
    in_background env "$@" LD_PRELOAD="$build/lib/libprofd.so" "$programs/steady_records" tally
    local pid=$background markers steps
    wait_until has_used "$pid" 5
    for interval in 1ms 2ms 3ms 4ms 5ms 6ms 7ms 8ms; do
        expect 0 "$profctl" start --interval $interval
        wait_until has_used "$pid" $(($(cpu_ticks "$pid") + 5))
        expect 0 "$profctl" stop
        wait_until has_used "$pid" $(($(cpu_ticks "$pid") + 5))
    done
    kill -USR1 "$pid"
    wait_until [ -s tally ]
    wait_until has_used "$pid" $(($(cpu_ticks "$pid") + 100))
    expect 0 "$profctl" capture --pid "$pid" -o all.json
    wait_until last_one_burns "$pid"
    read -r markers steps <tally
    read_facts all.json
    [ "$(counted steady_records steps)" = "$steps $steps" ] ||
        fail "$steps steps are $(counted steady_records steps) ($1)"
    [ "$(grep -c $'^marker\t.*\tstep\t' facts)" -eq "$markers" ] ||
        fail "of $markers markers there are $(grep -c $'^marker\t.*\tstep\t' facts) ($1)"
    has_function steady_records 'inner label'
    [ "$(meta_of steady_records profd.events.label-underflow)" = 0 ] ||
        fail "labels that never were pushed were popped $(meta_of steady_records profd.events.label-underflow) times ($1)"
    expect 0 "$profctl" report --tree all.json
    says 'inner label' stdout
    expect 0 "$profctl" report --tree last.json
    refute grep ' label' stdout
    kill -KILL "$pid"
}

test_nothing_is_lost_over_many_changes() {
    start_profd --always 20Hz --memory-limit 512M
    wait_until is_on
    keeps_all ALONE=1
    keeps_all WITH_IDLE_THREAD=1
}

test_both_go_on_when_profd_is_killed() {
    start_workers
    expect 0 "$profctl" start --interval 1ms
    kill_profd
    start_profd --always 10Hz
    wait_until interval_is 1000000
    expect 0 "$profctl" stop
    wait_until interval_is 100000000
    wait_until has_samples 5
    pkill -KILL -f "$programs/holds_label" || true
}

# restart_profd OPTION…: it is killed, and another one takes over.
restart_profd() {
    kill_profd
    start_profd "$@"
}

sessions_are() {
    "$profctl" status --json | grep -o '"owner":"[a-z]*"' | cut -d'"' -f4 >owners
    printf '%s\n' "$@" | cmp -s - owners
}

test_it_joins_what_a_profd_without_it_had_begun_as_soon_as_it_can() {
    start_profd -- "$programs/busy" 1000 busy.pid
    wait_until [ -s busy.pid ]
    expect 0 "$profctl" start
    expect 0 "$profctl" pause
    restart_profd --always 20Hz
    wait_until sessions_are user
    expect 0 "$profctl" resume
    wait_until sessions_are user profd
    kill -KILL "$(cat busy.pid)"
}

test_what_is_over_after_a_restart_does_not_come_back_with_another() {
    start_workers
    restart_profd
    expect 1 "$profctl" stop
    restart_profd --always 20Hz
    wait_until is_on
    refute grep 'resuming the session' profd.log
    pkill -KILL -f "$programs/holds_label" || true
}

test_without_the_option_it_is_over_after_a_restart() {
    start_workers
    restart_profd
    expect 1 "$profctl" stop
    says 'no session is active' stderr
    expect 0 "$profctl" start
}

# start_triggered OPTION…: with a session of profd's own that has triggers, and a program that ends by a signal when told.
start_triggered() {
    echo "while [ ! -e die ]; do sleep 0.05; done; kill -SEGV \$\$" >dies.sh
    start_profd --always 20Hz "$@" -- sh -c "sh dies.sh; exec '$programs/busy' 600"
    wait_until is_on
}

test_its_triggers_write_what_was_before() {
    start_triggered --trigger signal --trigger name:now --trigger-output 'its-%e-%n.json'
    expect 0 "$profctl" trigger now
    says 'wrote .*/its-now-1.json' stderr
    touch die
    wait_until [ -e its-SIGSEGV-2.json ]
    read_facts its-SIGSEGV-2.json
    has_process sh
}

# Those of another session take their place until it ends.
test_its_triggers_rest_beside_others() {
    start_triggered --trigger name:now --trigger-output 'its-%n.json'
    expect 0 "$profctl" start --trigger name:mine --output 'mine-%n.json'
    expect 1 "$profctl" trigger now
    one_line stderr
    expect 0 "$profctl" trigger mine
    expect 0 "$profctl" stop
    expect 0 "$profctl" trigger now
    expect 0 "$profctl" start
    expect 0 "$profctl" trigger now
    expect 0 "$profctl" stop
    expect 0 "$profctl" trigger now
    [ -e mine-1.json ] && [ "$(find . -name 'its-*.json' | wc -l)" -ge 2 ]
}

test_its_triggers_go_on_after_a_restart() {
    start_workers
    restart_profd --always 20Hz --trigger name:now --trigger-output 'its-%n.json'
    wait_until is_on
    expect 0 "$profctl" trigger now
    [ -e its-1.json ]
}

test_the_config_may_have_its_triggers() {
    echo '{ "always": "20Hz", "triggers": ["name:now", "signal"], "trigger_output": "its-%e.json" }' >config.json
    start_profd --config config.json
    wait_until is_on
    expect 0 "$profctl" trigger now
    [ -e its-now.json ]
}

test_triggers_that_cannot_be_are_refused() {
    refused_with "--trigger requires --always" --trigger signal
    refused_with "'sgnal' is not one of signal, exit" --always 20Hz --trigger sgnal
    refused_with "'marker:x:1ms' needs a session of its own" --always 20Hz --trigger marker:x:1ms
    refused_with "--trigger-output requires --trigger" --always 20Hz --trigger-output x.json
    refused_with "must end in .json or .json.gz" --always 20Hz --trigger exit --trigger-output x.txt
    echo '{ "always": "20Hz", "triggers": ["exit"], "trigger_output": "x.txt" }' >config.json
    refused_with "config.json:1: trigger_output: must end in .json or .json.gz" --config config.json
    echo '{ "always": "20Hz", "trigger_output": "x.json" }' >config.json
    refused_with 'config.json: trigger_output: requires "triggers" or --trigger' --config config.json
    echo '{ "triggers": ["exit"], "programs": [{ "name": "a", "command": ["true"] }] }' >config.json
    refused_with 'config.json: triggers: requires "always" or --always' --config config.json
}

# refused_with REASON OPTION…
refused_with() {
    local reason=$1
    shift
    ! "$profd" "$@" >stdout 2>stderr || fail "profd takes $*"
    one_line stderr
    says "$reason" stderr
}

test_a_rate_that_is_none_is_refused() {
    for rate in 0Hz x -1Hz 1ms 1000000Hz ''; do
        expect 2 "$profd" --always "$rate"
        one_line stderr
        says '--always' stderr
    done
}

run_tests "$@"
