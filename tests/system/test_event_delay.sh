#!/bin/bash
# How long events wait for a thread's loop shows in its samples.
# Runs alone: a loop that waits for a processor is late, too.
# shellcheck source=lib.sh
# shellcheck disable=SC2317 # run by name
. "$(dirname "$0")/lib.sh"

# most_delay MARKER: the longest delay, in whole ms, of the samples under it.
most_delay() {
    awk -F'\t' -v name="$1" '
        $1 == "marker" && $4 == name { start = $5; end = $6 }
        $1 == "delay" { time[++count] = $4; delay[count] = $5 }
        END {
            if (end == "") exit 1
            for (i = 1; i <= count; i++)
                if (time[i] >= start && time[i] <= end && delay[i] > most) most = delay[i]
            print int(most)
        }' facts || fail "no marker $1"
}

# blocks_for MARKER: handlers take 600 ms: one that is seen at all is seen for 100, unless nothing runs on this
# machine.
blocks_for() {
    [ "$(most_delay "$1")" -ge 100 ] || fail "$1: $(most_delay "$1") ms"
}

# Who looks at real time sees a loop also where it sleeps, and nothing else runs.
test_libuv_loop_that_is_blocked() {
    expect 0 "$profctl" --quiet run --clock wall -o out.json -- "$programs/uv_blocked"
    read_facts out.json
    blocks_for "asleep in a timer's handler"
    blocks_for "asleep in a pipe's handler"
    blocks_for "at work in a pipe's handler"
    [ "$(most_delay waiting)" -lt 400 ] || fail "waiting: $(most_delay waiting) ms"
}

test_libuv_loop_that_works_for_long() {
    expect 0 "$profctl" --quiet run --clock cpu -o out.json -- "$programs/uv_blocked"
    read_facts out.json
    blocks_for "at work in a pipe's handler"
    [ "$(most_delay waiting)" -lt 400 ] || fail "waiting: $(most_delay waiting) ms"
}

test_events_told_by_hand() {
    expect 0 "$profctl" --quiet run --clock wall -o out.json -- "$programs/events"
    read_facts out.json
    [ "$(most_delay handling)" -ge 400 ] || fail "handling: $(most_delay handling) ms"
    [ "$(most_delay waiting)" -eq 0 ] || fail "waiting: $(most_delay waiting) ms"
    [ "$(most_delay 'waiting again')" -eq 0 ] || fail "waiting again: $(most_delay 'waiting again') ms"
}

test_example() {
    expect 0 "$profctl" --quiet run -o out.json -- "$build/examples/event-loop" 2
    read_facts out.json
    has_function event-loop checkpoint
}

test_nothing_without_the_feature() {
    expect 0 "$profctl" --quiet run --features stacks,markers -o out.json -- "$programs/events"
    read_facts out.json
    [ "$(most_delay handling)" -eq 0 ] || fail "handling: $(most_delay handling) ms"
}

run_tests "$@"
