#!/bin/bash
# A session writes captures by itself when something happens.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

start_session() {
    expect 0 "$profctl" start "$@" --output out/%n-%e-%p.json
}

# files PATTERN: how many captures there are.
files() {
    find out -name "$1" | wc -l
}

has_files() {
    [ "$(files "$2")" -eq "$1" ]
}

trigger_status() {
    "$profctl" status --json | grep -o '"triggers":{.*"last_error":"[^"]*"'
}

test_a_process_that_is_killed() {
    mkdir out
    expect 139 "$profctl" run --trigger signal --trigger-output 'out/%n-%e.json' -o all.json -- \
        "$programs/crash"
    [ -f all.json ]
    read_facts out/1-SIGSEGV.json
    has_process crash
    ended crash killed 11
}

test_a_grandchild_that_is_killed() {
    mkdir out
    expect 0 "$profctl" run --trigger signal --trigger-output 'out/%n-%e.json' -o all.json -- \
        bash -c "'$programs/crash'; exit 0"
    read_facts out/1-SIGSEGV.json
    has_process crash
}

test_a_command_of_profd_itself_that_is_killed() {
    mkdir out
    in_background "$profd" --socket "$PROFD_SOCKET" -- \
        bash -c 'until [ -e go ]; do sleep 0.02; done; kill -KILL $$' >profd.out 2>profd.log
    wait_until "$profctl" status
    start_session --trigger signal
    touch go
    wait_until has_ended "$background"
    has_files 1 '1-SIGKILL-*.json'
}

test_a_name_that_somebody_says() {
    mkdir out
    start_profd
    start_session --trigger name:deploy
    (cd / && expect_quietly "$profctl" trigger deploy)
    has_files 1 "1-deploy-$daemon.json"
    read_facts out/1-deploy-"$daemon".json
    expect 1 "$profctl" trigger other
    one_line stderr
}

test_the_name_of_a_file_is_quoted() {
    mkdir out
    start_profd
    expect 0 "$profctl" start --trigger name:odd --output 'out/a"b.json'
    expect 0 "$profctl" --json trigger odd
    grep -qF '/out/a\"b.json"}' stdout
}

expect_quietly() {
    "$@" >/dev/null 2>&1
}

test_sigusr2() {
    mkdir out
    start_profd
    start_session --trigger SIGUSR2
    kill -USR2 "$daemon"
    wait_until has_files 1 '1-SIGUSR2-*.json'
}

# with_profd COMMAND…: profd, whose command it is once "go" is there, in a session.
with_profd() {
    in_background "$profd" --socket "$PROFD_SOCKET" -- bash -c \
        'until [ -e go ]; do sleep 0.02; done; "$@"
         until [ -e end ] || ! kill -0 $PPID; do sleep 0.02; done' - "$@" \
        >profd.out 2>profd.log
    daemon=$background
    wait_until "$profctl" status
}

test_a_marker_that_lasts_too_long() {
    mkdir out
    with_profd "$programs/slow_request" stay
    start_session --trigger marker:request:30ms --trigger marker:other:1ms
    touch go
    wait_until has_files 1 '1-request-*.json'
    read_facts out/1-request-*.json
    has_function slow_request request
    has_files 1 '*.json'
    touch end
}

test_a_marker_that_is_the_last_of_its_process() {
    mkdir out
    with_profd "$programs/slow_request"
    start_session --trigger marker:request:30ms
    touch go
    wait_until has_files 1 '1-request-*.json'
    read_facts out/1-request-*.json
    has_function slow_request request
    touch end
}

test_a_process_that_fails() {
    mkdir out
    expect 0 "$profctl" run --trigger exit --trigger-output 'out/%n-%e.json' -o all.json -- \
        bash -c 'bash -c "exit 3"; true'
    has_files 1 '1-exit-3.json'
    has_files 1 '*'.json
}

# with_trigger TRIGGER COMMAND…: in a session, and goes on until the capture is there.
with_trigger() {
    local trigger=$1
    shift
    mkdir out
    start_profd
    start_session --trigger "$trigger"
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$@" >program.out
    wait_until has_files 1 "1-${trigger%%:*}-$background.json"
}

test_a_group_that_is_janky() {
    with_trigger jank:2ms,kind=tenant "$programs/tenants" 100000
    read_facts out/1-jank-*.json
    has_process tenants
    has_function tenants burn_us
    grep -q 'jank: tenant busy in tenants' profd.log
}

test_an_event_loop_that_is_late() {
    touch go
    with_trigger delay:16ms "$programs/loop" 20 go
    read_facts out/1-delay-*.json
    has_function loop burn_ms
}

test_a_process_that_uses_too_much() {
    with_trigger cpu:20% "$programs/busy" 60
    read_facts out/1-cpu-*.json
    has_process busy
}

# They end with the session: nobody asks for groups any more.
test_nobody_looks_for_jank_after_the_session() {
    mkdir out
    start_profd
    start_session --trigger jank:64ms
    expect 0 "$profctl" groups --json # which measures for a while where nobody asks
    grep -q '"periodMs":0,' stdout
    expect 0 "$profctl" stop
    expect 0 "$profctl" groups --for 1ms --json
    refute grep -q '"periodMs":0,' stdout
}

test_a_marker_that_is_short_enough() {
    mkdir out
    with_profd bash -c "'$programs/slow_request'; touch ended"
    start_session --trigger marker:request:60m --trigger name:end
    touch go
    wait_until [ -e ended ]
    expect 0 "$profctl" trigger end
    has_files 1 '*.json'
    touch end
}

test_the_oldest_files_go() {
    mkdir out
    echo mine >out/0-mine.json
    start_profd
    start_session --trigger name:again --max-files 2
    for _ in 1 2 3 4; do
        expect 0 "$profctl" trigger again
    done
    has_files 3 '*.json'
    [ -e out/0-mine.json ] && [ -e out/3-again-"$daemon".json ] && [ -e out/4-again-"$daemon".json ]
}

# The whole session, and the last half second of it, in which "gone" was not there any more.
test_a_capture_holds_what_led_to_it() {
    mkdir out
    start_profd
    start_session --trigger name:short --last 500ms
    cp "$programs/busy" gone
    LD_PRELOAD=$build/lib/libprofd.so ./gone 0.05
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" 60 started
    wait_until test -s started
    has_gone_for_long() {
        "$profctl" capture --last 500ms -o last.json && read_facts last.json && [ "$(process_count gone)" -eq 0 ]
    }
    wait_until has_gone_for_long
    expect 0 "$profctl" trigger short
    read_facts out/1-short-*.json
    has_process busy
    [ "$(process_count gone)" -eq 0 ] || fail "a capture of everything"
    expect 0 "$profctl" stop
}

test_all_that_is_kept_can_be_asked_for() {
    local last
    mkdir out
    start_profd
    for last in '--last all' ''; do # ten seconds are enough, too
        # shellcheck disable=SC2086
        start_session --trigger name:whole $last
        cp "$programs/busy" gone
        LD_PRELOAD=$build/lib/libprofd.so ./gone 0.05
        expect 0 "$profctl" trigger whole
        read_facts out/1-whole-*.json
        has_process gone
        expect 0 "$profctl" stop
        rm out/*
    done
}

# Crashes of one cause wait for one another for seconds, longer than what is asked for.
test_a_capture_that_waited_holds_what_led_to_it() {
    mkdir out
    cp "$programs/crash" second
    # The second is not to join the first's capture, but to wait for its turn.
    # shellcheck disable=SC2016
    start_profd -- bash -c 'until [ -e go ]; do sleep 0.02; done; "$0"
        until ls out/1-SIGSEGV-*.json >/dev/null 2>&1; do sleep 0.02; done; ./second; sleep 1000' "$programs/crash"
    start_session --trigger signal --last 1s
    touch go
    wait_until has_files 1 '2-SIGSEGV-*.json'
    read_facts out/2-SIGSEGV-*.json
    has_process second
}

test_what_happens_together_is_one_capture_and_counted() {
    mkdir out
    start_profd
    start_session --trigger name:rush
    for _ in 1 2 3 4 5; do
        "$profctl" --quiet trigger rush &
    done
    wait_until captures_are_accounted_for 5
    [ "$(files '*.json')" -ge 1 ]
}

# Each of COUNT that happened was written, or joined one that was.
captures_are_accounted_for() {
    trigger_status >status.txt
    [ "$(($(number_of written) + $(number_of coalesced)))" -eq "$1" ] &&
        [ "$(number_of waiting)" -eq 0 ]
}

number_of() {
    grep -o "\"$1\":[0-9]*" status.txt | cut -d: -f2
}

test_a_capture_that_can_not_be_written_is_told() {
    mkdir out
    start_profd
    start_session --trigger name:lost
    rmdir out
    expect 1 "$profctl" trigger lost
    one_line stderr
    trigger_status >status.txt
    [ "$(number_of failed)" -eq 1 ]
}

find_worker() {
    worker=$(pgrep -P "$daemon" profctl) && kill -STOP "$worker"
}

has_waiting() {
    trigger_status >status.txt
    [ "$(number_of waiting)" -eq "$1" ]
}

test_who_waits_is_told_that_the_session_ended() {
    mkdir out
    WITH_IDLE_THREAD=1 start_profd -- "$programs/numbered" n
    start_session --trigger name:first --trigger name:second
    wait_until counts_in n
    pkill -STOP -P "$daemon" numbered # so that a capture takes a while
    in_background "$profctl" trigger first >first.out 2>&1
    local first=$background
    wait_until find_worker
    children+=("$worker")
    pkill -CONT -P "$daemon" numbered
    in_background "$profctl" trigger second >second.out 2>&1
    wait_until has_waiting 1
    expect 0 "$profctl" stop
    wait_until has_ended "$background"
    refute wait "$background"
    says 'the session ended' second.out
    kill -CONT "$worker"
    wait_until has_ended "$first"
}

# As many wait as there is room for, and one more of the same client is refused.
test_who_waits_is_answered_though_another_request_is_refused() {
    mkdir out
    # shellcheck disable=SC2016
    start_profd -- bash -c 'ulimit -c 0; WITH_IDLE_THREAD=1 "$0" n & until [ -e kill ]; do sleep 0.02; done
        for signal in {1..15} 16 24 25 26 27 29 30 31; do bash -c "kill -$signal \$\$"; done; wait' "$programs/numbered"
    local asked=()
    for number in {1..13}; do asked+=(--trigger "name:n$number"); done
    start_session --trigger signal --trigger name:first --trigger name:last "${asked[@]}"
    wait_until counts_in n
    wait_until pkill -STOP numbered -P "$(pgrep -P "$daemon" bash)" # so that a capture takes a while
    in_background "$profctl" --quiet trigger first
    wait_until find_worker
    children+=("$worker")
    pkill -CONT numbered -P "$(pgrep -P "$daemon" bash)"
    in_background "$programs/asks" "$PROFD_SOCKET" n{1..13} - last >asked.txt
    wait_until has_waiting 13
    touch kill
    wait_until has_waiting 32
    touch go
    wait_until grep -q '^last -16$' asked.txt # EBUSY
    expect 0 "$profctl" stop
    wait_until has_ended "$background"
    [ "$(grep -c '^n[0-9]* -125$' asked.txt)" -eq 13 ] || fail "not answered: $(cat asked.txt)" # ECANCELED
    kill -CONT "$worker"
}

# The next crash comes before the capture of the last one is written.
test_the_last_capture_does_not_wait_for_ever() {
    mkdir out
    # shellcheck disable=SC2016
    start_profd -- bash -c 'until [ -e end ]; do bash -c "kill -KILL \$\$"; sleep 0.05; done'
    start_session --trigger signal
    wait_until has_files 1 '1-*.json'
    expect 0 "$profctl" capture --stop -o last.json
    touch end
    [ "$(files '*.json')" -le 4 ]
}

test_bad_triggers() {
    start_profd
    for bad in nonsense marker:request marker:request:soon marker::1ms name: SIGUSR1; do
        expect 2 "$profctl" start --trigger "$bad"
        one_line stderr
    done
    expect 2 "$profctl" start --trigger signal --output '%x.json'
    one_line stderr
    says '%x' stderr
    expect 2 "$profctl" start --trigger signal --output profile.txt
    one_line stderr
    expect 2 "$profctl" start --last 5s
    one_line stderr
    expect 2 "$profctl" start --trigger signal --last never
    one_line stderr
    expect 2 "$profctl" run --trigger-last 5s -- true
    one_line stderr
    expect 2 "$profctl" start --output a.json
    one_line stderr
    expect 1 "$profctl" start --trigger signal --output nowhere/a.json
    one_line stderr
    expect 1 "$profctl" trigger deploy
    one_line stderr
    expect 2 "$profctl" trigger
    one_line stderr
}

run_tests "$@"
