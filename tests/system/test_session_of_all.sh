#!/bin/bash
# Sessions of all processes that a program begins by the API, and profd runs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_company WORD…: a profd with a busy process, and a program that does what the words say: own_session.c.
start_company() {
    {
        echo "'$programs/busy' 1000 busy.pid & echo \$! >busy.kill"
        echo "'$programs/own_session' $* >said; touch over; wait"
    } >company.sh
    start_profd "${profd_options[@]}" -- sh company.sh
}
profd_options=()

end_company() {
    kill -KILL "$(cat busy.kill)"
}

# said WORD RESULT…: the words that the program was given, and what came of each.
said() {
    printf '%s %s\n' "$@" | diff - said || fail "it said something else (<: what it should)"
}

has_marker() {
    grep -q $'^marker\t.*\t'"$1"$'\t' facts
}

has_no_session() {
    "$profctl" status --json | grep -q '"state":"idle"'
}

# sessions_are OWNER…: those that are on, in the order in which they began.
sessions_are() {
    "$profctl" status --json | grep -o '"owner":"[a-z]*"' | cut -d'"' -f4 >owners
    printf '%s\n' "$@" | cmp -s - owners
}

test_a_program_records_and_captures_all() {
    start_company until=busy.pid start-of-all active start start-of-all burn mark=one capture=all.json pause resume stop active stop
    wait_until [ -f over ]
    said until=busy.pid 0 start-of-all 0 active 0 start EALREADY start-of-all EALREADY burn 0 mark=one 0 \
        capture=all.json 0 pause 0 resume 0 stop 0 active ENOENT stop ESRCH
    expect 0 "$profctl" symbolicate all.json
    read_facts all.json
    has_process busy
    has_process own_session
    has_marker one
    has_function busy burn_outer
    has_no_session
    end_company
}

test_it_is_the_second_beside_that_of_the_user() {
    start_company until=begun mark=before start-of-all pause burn mark=one capture=all.json until=seen stop mark=after
    expect 0 "$profctl" start --interval 100ms
    touch begun
    wait_until sessions_are user program
    expect 0 "$profctl" status
    says '^sessions +of profctl, each 100 ms, .*; of process [0-9]+, each 1 ms' stdout
    touch seen
    wait_until [ -f over ]
    said until=begun 0 mark=before 0 start-of-all 0 pause EBUSY burn 0 mark=one 0 capture=all.json 0 until=seen 0 \
        stop 0 mark=after 0
    sessions_are user
    read_facts all.json
    has_process busy
    has_marker one
    refute has_marker before
    [ "$(samples_of own_session GeckoMain)" -gt 8 ]
    expect 0 "$profctl" capture -o users.json
    read_facts users.json
    for name in before one after; do
        has_marker $name
    done
    end_company
}

test_it_ends_with_the_program() {
    start_company start-of-all until=never
    wait_until sessions_are program
    pkill -KILL -f "$programs/own_session start-of-all"
    wait_until has_no_session
    end_company
}

# Its parent never asks what became of it, so that the kernel keeps its id; profd's keeper has nothing of a process of
# two threads.
test_it_ends_with_a_program_that_ended_while_there_was_no_profd() {
    echo "WITH_IDLE_THREAD=1 '$programs/own_session' start-of-all until=never >said & echo \$! >own.pid; exec sleep 1000" >parent.sh
    start_profd -- sh parent.sh
    wait_until sessions_are program
    kill_profd
    kill -KILL "$(cat own.pid)"
    start_profd
    wait_until has_no_session
    kill -KILL "$(awk '{ print $4 }' "/proc/$(cat own.pid)/stat")"
}

test_the_user_may_end_it() {
    start_company start-of-all until=ended capture=late.json stop start-of-all
    wait_until sessions_are program
    expect 0 "$profctl" stop
    touch ended
    wait_until [ -f over ]
    said start-of-all 0 until=ended 0 capture=late.json ESRCH stop ESRCH start-of-all 0
    end_company
}

test_it_may_be_the_first_and_the_user_come_later() {
    start_company start-of-all until=joined stop
    wait_until sessions_are program
    expect 0 "$profctl" start
    sessions_are program user
    touch joined
    wait_until [ -f over ]
    said start-of-all 0 until=joined 0 stop 0
    sessions_are user
    end_company
}

test_there_is_no_room_for_a_third() {
    profd_options=(--always 10Hz)
    start_company until=begun start-of-all
    expect 0 "$profctl" start
    touch begun
    wait_until [ -f over ]
    said until=begun 0 start-of-all EBUSY
    end_company
}

test_another_clock_cannot_be_had_beside() {
    start_company until=begun start-of-all-wall
    expect 0 "$profctl" start
    touch begun
    wait_until [ -f over ]
    said until=begun 0 start-of-all-wall EBUSY
    end_company
}

test_without_a_profd_there_is_none() {
    expect 0 env -u PROFD_SOCKET XDG_RUNTIME_DIR="$scratch" "$programs/own_session" start-of-all unknown-scope
    cp stdout said
    said start-of-all ENOTCONN unknown-scope EINVAL
}

test_a_capture_goes_into_a_pipe() {
    start_company until=busy.pid start-of-all burn capture=/dev/stdout stop '|' tail -n +4
    wait_until [ -f over ]
    grep -v '^[a-z].*[A-Z0-9]$' said >all.json
    read_facts all.json
    has_process busy
    end_company
}

run_tests "$@"
