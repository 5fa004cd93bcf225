#!/bin/bash
# profd goes on whatever its clients and children do.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

answers() {
    expect 0 "$profctl" status
}

test_second_profd_on_the_same_socket() {
    start_profd
    expect 1 "$profd" --socket "$PROFD_SOCKET"
    one_line stderr
    answers
}

test_dead_socket_file_is_replaced() {
    start_profd
    kill_profd
    [ -S "$PROFD_SOCKET" ]
    start_profd
    answers
}

test_a_file_in_the_place_of_the_socket_is_left_alone() {
    echo precious >"$PROFD_SOCKET"
    expect 1 "$profd" --socket "$PROFD_SOCKET"
    one_line stderr
    [ "$(cat "$PROFD_SOCKET")" = precious ]
}

test_garbage_on_the_socket() {
    start_profd
    expect 0 "$programs/peer" "$PROFD_SOCKET" garbage
    answers
}

test_endless_frame() {
    start_profd
    expect 0 "$programs/peer" "$PROFD_SOCKET" huge-frame
    answers
}

test_client_of_another_protocol_version() {
    start_profd
    expect 0 "$programs/peer" "$PROFD_SOCKET" old-client
    answers
}

test_agent_of_another_protocol_version() {
    start_profd
    expect 0 "$programs/peer" "$PROFD_SOCKET" old-agent
    answers
}

test_client_that_stops_reading() {
    start_profd
    expect 0 "$programs/peer" "$PROFD_SOCKET" deaf
    answers
}

test_session_by_commands() {
    start_profd -- "$programs/busy" 60 pid
    expect 0 "$profctl" start
    wait_until test -s pid
    expect 0 "$profctl" pause
    expect 0 "$profctl" resume
    expect 0 "$profctl" --json status
    says busy stdout
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_function busy burn_outer
    expect 0 "$profctl" stop
    is_running "$(cat pid)"
}

# What a frozen process recorded is read without its help.
test_stopped_child_is_salvaged() {
    export WITH_IDLE_THREAD=1
    start_profd -- "$programs/busy" 60 pid
    expect 0 "$profctl" start
    wait_until test -s pid
    sampled() { "$profctl" capture -o first.json && read_facts first.json && [ "$(samples_of busy GeckoMain)" -gt 20 ]; }
    wait_until sampled
    kill -STOP "$(cat pid)"
    expect 0 "$profctl" capture --timeout 3s -o out.json
    says busy stderr
    kill -CONT "$(cat pid)"
    read_facts out.json
    has_function busy burn_outer
    expect 4 bash -c "kill -STOP $(cat pid); '$profctl' capture --strict --timeout 3s -o out.json"
    kill -CONT "$(cat pid)"
}

test_command_ends_with_profd() {
    start_profd -- "$programs/busy" 60 pid
    wait_until test -s pid
    kill -TERM "$daemon"
    wait "$daemon" || true
    local child
    child=$(cat pid)
    wait_until has_ended "$child"
    [ ! -e "$PROFD_SOCKET" ]
}

# The program does not notice.
test_daemon_that_is_killed() {
    start_profd -- sh -c "'$programs/busy' 1 pid && echo fine >ended"
    expect 0 "$profctl" start
    wait_until test -s pid
    kill -KILL "$daemon"
    wait_until test -s ended
}

# refusals LOG: how often profd had no descriptor for a process; it shows some of them, and how many not.
refusals() {
    awk '/without an arena/ { all++ }
        / more like the next one are not shown/ { all += $2 }
        END { print all + 0 }' "$1"
}

# Those that it cannot take in come back, but less and less often: without a rest between, each of
# them would be there fifty times a second.
test_a_profd_without_descriptors() {
    local limit
    for limit in 20 22; do
        # shellcheck disable=SC2016
        in_background bash -c 'ulimit -n "$1"; exec "$0" -- sh -c "$2"' "$profd" $limit \
            "for i in 1 2 3 4 5 6 7 8; do '$programs/numbered' n\$i 3000 & done; wait"
        wait "$background"
    done 2>profd.log
    [ "$(refusals profd.log)" -gt 0 ]
    [ "$(refusals profd.log)" -lt 300 ] || fail "$(refusals profd.log) refusals"
}

run_tests "$@"
