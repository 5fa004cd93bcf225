#!/bin/bash
# Captures of some processes or threads.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A session with two programs in it that work until the test ends, and one that has ended. Their
# process ids are in $busy, $threads and $gone.
start_programs() {
    start_profd
    expect 0 "$profctl" start
    export LD_PRELOAD=$build/lib/libprofd.so
    in_background "$programs/busy" 0.1
    gone=$background
    WITH_IDLE_THREAD=1 in_background "$programs/busy" 60 started
    busy=$background
    in_background "$programs/named_threads" 60
    threads=$background
    unset LD_PRELOAD
    wait_until test -s started
    wait "$gone"
    everybody_is_there() {
        "$profctl" capture -o all.json && read_facts all.json &&
            [ "$(process_count busy)" -eq 2 ] && [ "$(samples_of named_threads alpha)" -gt 10 ] &&
            [ "$(samples_of named_threads beta)" -gt 10 ]
    }
    wait_until everybody_is_there
}

processes_in_facts() {
    grep -c '^process' facts
}

test_by_process_id() {
    start_programs
    expect 0 "$profctl" capture -o out.json --pid "$busy"
    says '1 process,' stderr
    read_facts out.json
    grep -q "^process	$busy	busy$" facts
    [ "$(processes_in_facts)" -eq 2 ] # with profd
    expect 0 "$profctl" capture -o out.json --pid "$gone,$threads"
    read_facts out.json
    grep -q "^process	$gone	busy$" facts
    grep -q "^process	$threads	named_threads$" facts
    [ "$(processes_in_facts)" -eq 3 ]
}

test_by_name() {
    start_programs
    expect 0 "$profctl" capture -o out.json --process NAMED_
    read_facts out.json
    has_process named_threads
    [ "$(processes_in_facts)" -eq 2 ]
    expect 0 "$profctl" capture -o out.json --process named_,busy
    read_facts out.json
    [ "$(processes_in_facts)" -eq 4 ]
}

test_by_thread() {
    start_programs
    expect 0 "$profctl" capture -o out.json --threads alpha
    read_facts out.json
    [ "$(processes_in_facts)" -eq 2 ]
    [ "$(samples_of named_threads alpha)" -gt 10 ]
    [ "$(samples_of named_threads beta)" -eq 0 ]
    grep -q "^thread	$threads	GeckoMain" facts
    expect 0 "$profctl" capture -o out.json --threads beta --no-symbols
    read_facts out.json
    [ "$(samples_of named_threads beta)" -gt 10 ]
    [ "$(samples_of named_threads alpha)" -eq 0 ]
    [ "$(processes_in_facts)" -eq 2 ]
}

test_the_dead_and_the_frozen_are_filtered_alike() {
    start_programs
    kill -STOP "$busy"
    expect 0 "$profctl" capture -o out.json --process busy --timeout 1s
    says frozen out.json
    read_facts out.json
    [ "$(processes_in_facts)" -eq 3 ]
    kill -KILL "$threads"
    # Not for its verdict: the parent may reap it before profd sees how it ended.
    wait_until bash -c "'$profctl' --json status | grep -qF '\"ended\":2'"
    expect 0 "$profctl" capture -o out.json --process named_threads --threads beta
    read_facts out.json
    [ "$(samples_of named_threads beta)" -gt 10 ]
    [ "$(samples_of named_threads alpha)" -eq 0 ]
}

test_what_selects_nothing_is_refused() {
    start_programs
    expect 1 "$profctl" capture -o out.json --pid "1,$busy"
    one_line stderr
    says "no process has the id '1'" stderr
    expect 1 "$profctl" capture -o out.json --process "bussy"
    one_line stderr
    says "no process is named 'bussy'" stderr
    expect 1 "$profctl" capture -o out.json --threads gamma
    one_line stderr
    says "no thread matches --threads 'gamma'" stderr
    refute test -e out.json
    expect 2 "$profctl" capture -o out.json --pid busy
    says 'process ids' stderr
    expect 2 "$profctl" capture -o out.json --process ','
    # The session goes on.
    expect 0 "$profctl" capture -o out.json
}

test_top_of_one_process() {
    start_programs
    expect 0 "$profctl" --json top --once --pid "$busy"
    says burn_inner stdout
    refute grep -q named_threads stdout
}

# Each of the captures before waits a second for the frozen one.
test_the_last_moments_are_those_before_the_request() {
    start_programs
    kill -STOP "$busy"
    for number in 1 2 3 4; do
        in_background "$profctl" capture --quiet -o "$number.json" --process busy --timeout 1s 2>waiting.err
    done
    captures_wait() {
        [ "$(grep -c " 03 [0-9]* $PROFD_SOCKET\$" /proc/net/unix)" -ge 6 ] # with the programs
    }
    wait_until captures_wait
    kill -KILL "$threads"
    expect 0 "$profctl" capture -o out.json --last 2s
    [ -e 3.json ] || fail "there was nothing to wait for"
    read_facts out.json
    has_process named_threads
}

run_tests "$@"
