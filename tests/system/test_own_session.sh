#!/bin/bash
# Sessions that a program begins and ends itself, and captures that it makes of itself.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# said WORD RESULT…: the words that the program was given, and what came of each.
said() {
    printf '%s %s\n' "$@" | diff - stdout || fail "it said something else (<: what it should)"
}

# Without a profd.
alone() {
    expect 0 env -u PROFD_SOCKET XDG_RUNTIME_DIR="$scratch" "$programs/own_session" "$@"
}

has_marker() {
    grep -q $'^marker\t.*\t'"$1"$'\t' facts
}

test_a_program_captures_what_it_did_in_its_session() {
    alone active mark=before start active mark=one burn capture=one.json mark=two capture=two.json stop active
    said active ENOENT mark=before 0 start 0 active 0 mark=one 0 burn 0 capture=one.json 0 mark=two 0 \
        capture=two.json 0 stop 0 active ENOENT
    read_facts one.json
    has_marker one
    refute has_marker before
    refute has_marker two
    has_function own_session burning
    [ "$(samples_of own_session GeckoMain)" -gt 5 ]
    read_facts two.json
    has_marker one
    has_marker two
    expect 0 "$profctl" symbolicate one.json
    read_facts one.json
    has_function own_session burn_outer
}

test_nothing_is_recorded_in_a_pause_and_after_a_stop() {
    alone start pause pause mark=paused active resume resume mark=resumed capture=out.json stop mark=stopped start \
        capture=again.json
    said start 0 pause 0 pause 0 mark=paused 0 active 0 resume 0 resume 0 mark=resumed 0 capture=out.json 0 stop 0 \
        mark=stopped 0 start 0 capture=again.json 0
    read_facts out.json
    has_marker resumed
    refute has_marker paused
    read_facts again.json
    refute has_marker resumed
    refute has_marker stopped
}

test_no_call_is_made_behind_a_filter_of_the_program() {
    for start in start start-wall; do
        alone $start burn filter burn pause resume capture=out.json stop active start
        said $start 0 burn 0 filter 0 burn 0 pause EPERM resume EPERM capture=out.json EPERM stop EPERM active 0 start EPERM
    done
}

test_every_clock_samples() {
    alone start-wall burn capture=out.json
    read_facts out.json
    [ "$(samples_of own_session GeckoMain)" -gt 8 ]
}

test_options_are_obeyed() {
    alone start-large stop start-filtered mark=filtered capture=out.json
    read_facts out.json
    refute has_marker filtered
}

test_what_makes_no_sense_is_refused() {
    alone short-interval long-interval small-limit unknown-clock unknown-feature bad-filter long-filter reserved active
    said short-interval EINVAL long-interval EINVAL small-limit EINVAL unknown-clock EINVAL unknown-feature EINVAL \
        bad-filter EINVAL long-filter EINVAL reserved EINVAL active ENOENT
    alone stop pause resume capture=out.json start start unknown-clock stop-in-callback active
    said stop ESRCH pause ESRCH resume ESRCH capture=out.json ESRCH start 0 start EALREADY unknown-clock EINVAL \
        stop-in-callback EDEADLK active 0
    [ ! -s out.json ]
}

test_captures_go_where_they_can() {
    alone capture-nothing start burn capture-nothing capture-closed capture-readonly capture-full capture-unread \
        capture-pipe capture=out.json
    said capture-nothing EBADF start 0 burn 0 capture-nothing EBADF capture-closed EBADF capture-readonly EBADF \
        capture-full ENOSPC capture-unread EPIPE capture-pipe 0 capture=out.json 0
    read_facts out.json
}

test_without_an_agent_nothing_is_done() {
    expect 0 env PROFD_DISABLE=1 "$programs/own_session" start stop pause resume active capture=out.json mark=nothing
    said start ENOSYS stop ENOSYS pause ENOSYS resume ENOSYS active ENOENT capture=out.json ENOSYS mark=nothing 0
    alone start-in-raw-child start start-in-raw-child
    said start-in-raw-child ENOSYS start 0 start-in-raw-child ENOSYS
}

test_a_child_goes_on_with_records_of_its_own() {
    alone start mark=parent fork mark=child burn capture=child.json stop start capture=again.json
    said start 0 mark=parent 0 fork 0 mark=child 0 burn 0 capture=child.json 0 stop 0 start 0 capture=again.json 0
    read_facts child.json
    has_marker child
    refute has_marker parent
    [ "$(samples_of own_session GeckoMain)" -gt 5 ]
}

test_all_at_once() {
    alone storm start mark=after capture=out.json
    read_facts out.json
    has_marker after
}

test_the_session_of_the_environment_is_the_programs_own() {
    alone_with() {
        expect 0 env -u PROFD_SOCKET XDG_RUNTIME_DIR="$scratch" PROFD_STARTUP=1 PROFD_SHUTDOWN=exit.json "$@"
    }
    alone_with "$programs/own_session" active start mark=one capture=one.json pause resume
    said active 0 start EALREADY mark=one 0 capture=one.json 0 pause 0 resume 0
    read_facts exit.json
    has_marker one
    rm exit.json
    alone_with "$programs/own_session" stop
    said stop 0
    [ ! -e exit.json ]
}

# The clock that takes a thread of ours, in a process that nobody steers.
test_the_session_of_the_environment_has_its_threads() {
    expect 0 env -u PROFD_SOCKET PROFD_STARTUP=1 PROFD_STARTUP_CLOCK=wall PROFD_SHUTDOWN=out-%p.json \
        "$programs/own_session" burn fork burn
    local file count=0
    for file in out-*.json; do
        read_facts "$file"
        [ "$(samples_of own_session GeckoMain)" -gt 8 ] || fail "$(grep ^thread facts)"
        count=$((count + 1))
    done
    [ "$count" -eq 2 ]
}

test_the_session_of_profd_is_only_captured() {
    expect 0 "$profctl" run --quiet -o out.json -- "$programs/own_session" active stop pause resume mark=one burn \
        capture=own.json mark=two
    said active 0 stop EBUSY pause EBUSY resume EBUSY mark=one 0 burn 0 capture=own.json 0 mark=two 0
    read_facts own.json
    has_marker one
    refute has_marker two
    [ "$(samples_of own_session GeckoMain)" -gt 5 ]
    read_facts out.json
    has_marker one
    has_marker two
}

# profd has the last word.
# The second of the two that may be on: the program's captures begin with it, and profd's has everything.
test_a_session_beside_that_of_profd() {
    expect 0 "$profctl" run --quiet -o out.json -- "$programs/own_session" mark=before start start pause mark=one burn \
        capture=own.json stop stop mark=two capture=all.json start mark=three capture=again.json
    said mark=before 0 start 0 start EALREADY pause EBUSY mark=one 0 burn 0 capture=own.json 0 stop 0 stop EBUSY \
        mark=two 0 capture=all.json 0 start 0 mark=three 0 capture=again.json 0
    read_facts own.json
    has_marker one
    refute has_marker before
    [ "$(samples_of own_session GeckoMain)" -gt 8 ]
    read_facts all.json
    has_marker before
    has_marker two
    read_facts again.json
    has_marker three
    refute has_marker two
    read_facts out.json
    for name in before one two three; do
        has_marker "$name"
    done
    has_function own_session burning
}

test_a_session_beside_that_of_profd_is_as_fine_as_the_program_asks() {
    expect 0 "$profctl" run --quiet --interval 100ms -o coarse.json -- "$programs/own_session" burn burn
    read_facts coarse.json
    [ "$(samples_of own_session GeckoMain)" -lt 10 ]
    expect 0 "$profctl" run --quiet --interval 100ms -o out.json -- "$programs/own_session" start burn burn capture=own.json stop burn
    read_facts own.json
    [ "$(samples_of own_session GeckoMain)" -gt 15 ]
}

test_what_the_session_of_profd_does_not_record_is_refused() {
    expect 0 "$profctl" run --quiet -o out.json -- "$programs/own_session" start-more start-wall active
    said start-more EBUSY start-wall EBUSY active 0
}

test_profd_begins_its_session_in_place_of_the_programs() {
    start_profd -- "$programs/own_session" start mark=own capture=own.json until=go active stop mark=profds \
        capture=profds.json until=end stop start active
    wait_until grep -q capture=own profd.out
    expect 0 "$profctl" start
    touch go
    wait_until grep -q capture=profds profd.out
    expect 0 "$profctl" capture -o out.json
    expect 0 "$profctl" stop
    touch end
    wait "$daemon" || fail "profd ended with $?"
    cp profd.out stdout
    said start 0 mark=own 0 capture=own.json 0 until=go 0 active 0 stop EBUSY mark=profds 0 capture=profds.json 0 \
        until=end 0 stop ESRCH start 0 active 0
    read_facts own.json
    has_marker own
    read_facts profds.json
    has_marker profds
    refute has_marker own
    read_facts out.json
    has_marker profds
    refute has_marker own
}

# A profd that comes later leaves the program's session alone until it begins one, of which all memory is leased.
test_a_profd_that_comes_later() {
    local before program
    in_background "$programs/own_session" start mark=own capture=own.json until=go active burn capture=again.json \
        until=end active stop >words
    wait_until grep -q capture=own words
    program=$background
    start_profd
    wait_until sh -c '"$0" status | grep -q own_session' "$profctl"
    touch go
    wait_until grep -q capture=again words
    read_facts again.json
    has_marker own
    before=$(leased_bytes)
    expect 0 "$profctl" start
    [ "$(leased_bytes)" -gt "$before" ] || fail "leased: $(leased_bytes), before $before"
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_process own_session
    touch end
    wait "$program" || fail "the program ended with $?"
    cp words stdout
    said start 0 mark=own 0 capture=own.json 0 until=go 0 active 0 burn 0 capture=again.json 0 until=end 0 active 0 stop EBUSY
}

# The next profd lacks the arena, which the process gave away when it had one thread. It leaves the program's session
# alone likewise, and gets the arena with its own.
next_profd_lacks_the_arena() {
    start_profd
    WITH_IDLE_THREAD=1 in_background "$programs/own_session" start mark=own until=go active capture=own.json until=end \
        mark=profds until=over >words
    wait_until is_known
    wait_until grep -q mark=own words
    "$1"
    start_profd
    wait_until is_known
    touch go
    wait_until grep -q capture=own words
    expect 0 "$profctl" start
    wait_until is_profiled
    touch end
    wait_until grep -q mark=profds words
    cp words stdout
    said start 0 mark=own 0 until=go 0 active 0 capture=own.json 0 until=end 0 mark=profds 0
    read_facts own.json
    has_marker own
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_marker profds
    refute has_marker own
}

is_known() {
    "$profctl" status | grep -q own_session
}

is_profiled() {
    "$profctl" status | grep own_session | grep -qv 'not profiled'
}

kill_profd_and_keeper() {
    kill_profd
    kill_keeper
}

end_profd() {
    kill -TERM "$daemon"
    wait "$daemon" || true
}

test_a_profd_that_lost_the_arena() {
    next_profd_lacks_the_arena kill_profd_and_keeper
}

test_a_profd_that_never_had_the_arena() {
    next_profd_lacks_the_arena end_profd
}

run_tests "$@"
