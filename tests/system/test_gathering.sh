#!/bin/bash
# A capture ends in time and whole, whatever its processes do meanwhile.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_fifty: fifty quiet processes below a shell, in a session; with threads, so that they have to
# be asked.
start_fifty() {
    local i
    export WITH_IDLE_THREAD=1 REST_MS=20
    for i in $(seq 50); do
        echo "'$programs/numbered' '$scratch/n$i' &"
    done >all.sh
    echo 'touch ready; wait' >>all.sh
    start_profd -- sh all.sh
    expect 0 "$profctl" start
    wait_until has_fifty
    mapfile -t fifty < <(pgrep -f "^$programs/numbered $scratch")
    children+=("${fifty[@]}")
}

# Connected by what they run now: some may have been heard as copies of the shell.
has_fifty() {
    [ "$("$profctl" --json status | grep -oE '/numbered", ?"state": ?"connected"' | wc -l)" -eq 50 ]
}

verdicts() {
    meta_of numbered profd.verdict | sort | uniq -c | xargs
}

test_one_in_fifty_is_stopped() {
    start_fifty
    kill -STOP "${fifty[7]}"
    expect 0 "$profctl" capture -o out.json
    says "1 process did not answer .*: ${fifty[7]} " stderr
    read_facts out.json
    [ "$(process_count numbered)" -eq 50 ]
    [ "$(verdicts)" = "1 frozen 49 live" ] || fail "$(verdicts)"
    gzip -cdf out.json | grep -q '"event":"no answer"'
}

# Nobody is asked in a process of one thread, so nobody waits for it either.
test_one_that_is_stopped_and_has_one_thread() {
    start_profd
    expect 0 "$profctl" start
    LD_PRELOAD=$build/lib/libprofd.so in_background "$programs/numbered" n
    wait_until counts_in n
    kill -STOP "$background"
    expect 0 "$profctl" capture --strict -o out.json
    read_facts out.json
    [ "$(verdicts)" = "1 live" ] || fail "$(verdicts)"
    grep -q '	number	' facts
}

# Those that are stopped are waited for once, not once for each window of children.
test_many_are_stopped() {
    start_fifty
    kill -STOP "${fifty[@]:0:20}"
    expect 0 "$profctl" capture -o out.json
    kill -CONT "${fifty[@]:0:20}"
    read_facts out.json
    [ "$(process_count numbered)" -eq 50 ]
    [ "$(verdicts)" = "20 frozen 30 live" ] || fail "$(verdicts)"
    gzip -cdf out.json | grep -q '"detail":"it is stopped"'
}

test_processes_that_die_meanwhile_are_there() {
    local i
    start_fifty
    in_background "$profctl" capture -o out.json
    local client=$background
    for i in $(seq 0 2 48); do
        kill -KILL "${fifty[i]}" 2>/dev/null || true
    done
    wait "$client"
    read_facts out.json
    [ "$(process_count numbered)" -eq 50 ] || fail "$(process_count numbered) processes"
}

test_captures_wait_for_one_another() {
    local i clients=()
    start_fifty
    for i in 1 2 3; do
        in_background "$profctl" capture -o "out$i.json"
        clients+=("$background")
    done
    for i in 1 2 3; do
        wait "${clients[i - 1]}"
        read_facts "out$i.json"
        [ "$(process_count numbered)" -eq 50 ]
    done
}

test_a_capture_and_a_stop() {
    start_fifty
    in_background "$profctl" capture -o out.json
    local client=$background
    expect 0 "$profctl" stop
    # Whichever came first, nobody is left waiting, and no half file is there.
    if wait "$client"; then
        read_facts out.json
        [ "$(process_count numbered)" -eq 50 ]
    else
        refute test -e out.json
    fi
    expect 0 "$profctl" start
    expect 0 "$profctl" capture -o again.json
}

has_ended_ones() {
    "$profctl" status | grep -qE ", [1-9][0-9,]* ended"
}

test_processes_that_come_and_go() {
    local i
    mkfifo input
    in_background sleep 100 1<>input # until the captures are there
    start_profd -- sh -c "until [ -e go ]; do sleep 0.01; done; '$programs/fork_storm' <input; sleep 100"
    expect 0 "$profctl" start
    touch go
    wait_until has_ended_ones
    for i in 1 2; do
        expect 0 "$profctl" capture -o "out$i.json"
        read_facts "out$i.json"
    done
}

# Interrupted, profctl leaves nothing behind, and profd goes on with the next capture.
test_an_interrupted_capture() {
    start_fifty
    kill -STOP "${fifty[@]}" # so that it takes long enough
    # A shell without job control lets its background commands ignore SIGINT.
    in_background env --default-signal=INT "$profctl" capture -o out.json
    local client=$background status=0
    wait_until is_gathering
    kill -INT "$client"
    wait "$client" || status=$?
    [ "$status" -ne 0 ]
    kill -CONT "${fifty[@]}"
    refute test -e out.json
    refute compgen -G '.profctl-*'
    wait_until is_active
    expect 0 "$profctl" capture -o again.json
    read_facts again.json
    [ "$(process_count numbered)" -eq 50 ]
}

is_gathering() {
    "$profctl" --json status | grep -qE '"state": ?"gathering"'
}

is_active() {
    "$profctl" --json status | grep -qE '"state": ?"active"'
}

# The deadline counts for all together, also when each poll brings a little progress.
test_a_total_deadline() {
    start_fifty
    kill -STOP "${fifty[@]}"
    expect 0 "$profctl" capture --timeout 600ms -o out.json
    kill -CONT "${fifty[@]}"
    read_facts out.json
    [ "$(process_count numbered)" -eq 50 ]
    gzip -cdf out.json | grep -q 'it did not answer in time'
    gzip -cdf out.json | grep -q '"event":"the time is up"'
}

test_every_step_is_in_the_log() {
    local event
    start_fifty
    kill -STOP "${fifty[0]}"
    kill -KILL "${fifty[1]}"
    expect 0 "$profctl" capture -o out.json
    for event in asked answered "no answer" salvaged; do
        gzip -cdf out.json | grep -q "\"event\":\"$event\"" || fail "no event '$event'"
    done
    gzip -cdf out.json | grep -q '"profileGatheringLogEnd_ms"'
}

test_an_interrupted_run_ends() {
    local status=0
    in_background env --default-signal=INT "$profctl" run -o out.json -- "$programs/numbered" n 100
    wait_until test -s n
    kill -INT "$background"
    wait "$background" || status=$?
    [ "$status" -ne 0 ]
}

# has_marked FILE N: a capture in which the N writers are, each with markers of its own.
has_marked() {
    local recorded
    read_facts "$1"
    recorded=$(awk -F'\t' '$1 == "marker" && $4 == "count" { print $2 }' facts | sort -u | wc -l)
    [ "$(process_count writer) $recorded" = "$2 $2" ] ||
        fail "$(process_count writer) writers, $recorded with markers, instead of $2"
}

# start_writers N: their ids are in $writers.
start_writers() {
    local i
    export WITH_IDLE_THREAD=1
    for i in $(seq "$1"); do
        echo "'$programs/writer' '$scratch/w$i' 1 20000 &"
    done >all.sh
    echo 'wait' >>all.sh
    start_profd -- sh all.sh
    expect 0 "$profctl" start
    for i in $(seq "$1"); do
        wait_until counts_in "w$i"
    done
    mapfile -t writers < <(pgrep -f "^$programs/writer $scratch/")
    children+=("${writers[@]}")
    [ "${#writers[@]}" -eq "$1" ]
}

# One is killed just as a worker reads its arena, which the exit store then takes away.
test_who_dies_while_it_is_read_is_read_again() {
    start_writers 6
    kill -STOP "${writers[0]}"
    in_background "$profctl" capture --no-symbols -o out.json
    local client=$background
    wait_until is_gathering
    kill -KILL "${writers[0]}" "${writers[1]}"
    wait "$client"
    has_marked out.json 6
    # How they ended may have been told after they were read; afterwards it is known.
    expect 0 "$profctl" capture --no-symbols --strict -o again.json
    has_marked again.json 6
    [ "$(meta_of writer profd.verdict | grep -cx killed)" -eq 2 ]
}

test_an_agent_that_hangs() {
    start_writers 3
    in_background "$programs/freeze_thread" "${writers[1]}" profd-agent >freeze.out 2>freeze.err
    wait_until grep -q . freeze.out freeze.err
    grep -q frozen freeze.out || skip "may not stop a thread: $(cat freeze.err)"
    expect 0 "$profctl" capture --no-symbols -o out.json
    has_marked out.json 3
    [ "$(meta_of writer profd.verdict | grep -cx frozen)" -eq 1 ]
    gzip -cdf out.json | grep -q '"event":"no progress anywhere"'
}

run_tests "$@"
