#!/bin/bash
# What runs now: profctl top, profctl status, and captures of the last moments.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

start_busy() {
    start_profd -- sh -c "'$programs/busy' 60 pid1 & '$programs/busy' 60 pid2"
    expect 0 "$profctl" start
    wait_until test -s pid1
    wait_until test -s pid2
    children+=("$(cat pid1)" "$(cat pid2)")
}

shows_burning() {
    "$profctl" top --once >top.out && grep -q ' burn_inner (in busy)' top.out
}

test_top_sums_up_all_processes() {
    start_busy
    wait_until shows_burning
    grep -qE '^3 processes, [0-9.]+ s of CPU in the last 2.0 s' top.out || fail "$(head top.out)"
    [ "$(grep -c 'burn_inner (in busy)' top.out)" -eq 1 ]
    expect 0 "$profctl" top --once --json --last 1s
    says '"function":"burn_inner","library":"busy"' stdout
}

# pids: of the lines for processes.
pids() {
    grep -oE '  (sh|busy) \([0-9]+\)$' stdout | tr -cd '0-9\n'
}

test_top_has_a_line_for_each_process() {
    start_busy
    wait_until shows_burning
    expect 0 "$profctl" top --once
    [ "$(pids | wc -l)" -eq 3 ]
    expect 0 "$profctl" top --once --sort pid
    pids >in_order
    sort -n in_order | cmp - in_order
    expect 0 "$profctl" top --once --sort name
    [ "$(grep -oE '  (sh|busy) \(' stdout | tail -1)" = '  sh (' ]
    expect 2 "$profctl" top --once --sort colour
    one_line stderr
}

test_top_shows_the_tree_of_one_process() {
    start_busy
    wait_until shows_burning
    expect 0 "$profctl" top --once --tree --pid "$(cat pid1)"
    [ "$(grep -c 'burn_inner (in busy)$' stdout)" -eq 1 ]
    grep -qE '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +main \(in busy\)$' stdout
    refute grep -q ' sh$' stdout
    expect 0 "$profctl" top --once --tree --json
    grep -q '"direction":"callees"' stdout
}

test_top_goes_on_until_it_is_interrupted() {
    start_busy
    "$profctl" top >top.out 2>&1 </dev/null &
    children+=($!)
    wait_until eval '[ "$(grep -c "processes, " top.out)" -ge 2 ]'
}

test_top_without_a_session() {
    start_profd
    expect 1 "$profctl" top --once
    one_line stderr
    says 'no session is active' stderr
}

# Threads' times in a capture of the last second, against those in the whole one.
test_a_capture_of_the_last_moments() {
    local whole
    start_busy
    wait_until is_old_enough
    expect 0 "$profctl" capture -o whole.json
    read_facts whole.json
    whole=$(samples_of busy GeckoMain)
    expect 0 "$profctl" capture --last 1s -o last.json
    read_facts last.json
    [ "$(samples_of busy GeckoMain)" -lt "$whole" ] || fail "$(samples_of busy GeckoMain) of $whole samples; $(grep ^thread facts)"
    [ "$(samples_of busy GeckoMain)" -gt 0 ]
    # It goes on recording until the capture has come to it.
    awk -F'\t' '$1 == "thread" && $4 > 1 && $6 - $5 > 2500 { print; bad = 1 } END { exit bad }' facts ||
        fail "a thread has far more than the last second"
}

is_old_enough() {
    [ "$("$profctl" --json status | grep -oE '"elapsed_ms": ?[0-9]+' | grep -oE '[0-9]+' | head -1)" -gt 3000 ]
}

test_who_ended_long_ago_is_not_in_the_last_moments() {
    start_profd -- sh -c "until [ -e go ]; do sleep 0.01; done; '$programs/labels'; echo >ended; exec sleep 100"
    expect 0 "$profctl" start
    touch go
    wait_until test -e ended
    wait_until eval '"$profctl" status | grep -qE "exited \(0\) .* labels"'
    wait_until is_old_enough
    expect 0 "$profctl" capture --last 100ms -o last.json
    read_facts last.json
    [ "$(process_count labelled)" -eq 0 ]
    expect 0 "$profctl" capture -o whole.json
    read_facts whole.json
    [ "$(process_count labelled)" -eq 1 ]
}

test_status_tells_of_each_process() {
    local word
    start_busy
    wait_until eval '"$profctl" --json status | grep -qE "\"threads\": ?1,"'
    expect 0 "$profctl" --json status
    for word in lease_bytes recorded_bytes dictionary_bytes released_bytes unreleased_bytes oldest_ms \
        tick_lateness_us drops kernel_bytes accounted_bytes; do
        says "\"$word\"" stdout
    done
    expect 0 "$profctl" status
    says '^memory .* leased; .* accounted, .* as the kernel counts' stdout
    says "$(cat pid1) +connected +1 .* busy" stdout
}

test_json_is_utf8_whatever_the_names() {
    local name=$'odd\xff\xe2\x82'
    cp "$programs/busy" "$name"
    start_profd -- "./$name" 100 pid1
    wait_until test -s pid1
    expect 0 "$profctl" start --threads "$name"
    expect 0 "$profctl" status --json
    says '"threads":"odd' stdout
    is_utf8 stdout
    expect 0 "$profctl" capture --json -o "$name.json"
    is_utf8 stdout
    expect 0 "$profctl" report --json "$name.json"
    is_utf8 stdout
}

run_tests "$@"
