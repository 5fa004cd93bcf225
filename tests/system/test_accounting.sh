#!/bin/bash
# Writers that count what they write, killed at random instants: what is in the file, what is counted
# as dropped, and what was written add up.
# Runs alone: the writers take all the CPU time that there is.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

rounds=12

# counts_of FILE: the last number of each of its threads, one a line.
counts_of() {
    od -An -v -tu8 -w8 "$1" | tr -d ' ' | awk '$1 > 0'
}

# capture [OPTION…]: into ./facts, and what all processes called writer say of themselves, added up, into
# $fact.
declare -A fact
capture() {
    local key sum
    expect 0 "$profctl" capture --no-symbols "$@" -o out.json
    read_facts out.json
    fact=([lostBlocks]=0 [lostBytes]=0 [producedBlocks]=0 [keptBlocks]=0 [droppedBlocks]=0 [producedBytes]=0 [keptBytes]=0 [droppedBytes]=0)
    while read -r key sum; do
        fact[$key]=$sum
    done < <(awk -F'\t' '
        $1 == "process" && $3 == "writer" { pids[$2] = 1 }
        $1 == "meta" && ($2 in pids) && $3 ~ /^profd\.[a-z]+(Blocks|Bytes)$/ { sums[substr($3, 7)] += $4 }
        END { for (key in sums) printf "%s %.0f\n", key, sums[key] }' facts)
}

# What a capture says of its blocks and bytes is exact.
adds_up() {
    local what produced kept dropped
    for what in Blocks Bytes; do
        produced=${fact[produced$what]} kept=${fact[kept$what]} dropped=${fact[dropped$what]}
        [ "$produced" -gt 0 ] || fail "nothing was produced"
        [ "${fact[lost$what]}" -eq 0 ] || fail "${fact[lost$what]} ${what,,} are lost"
        [ "$produced" -eq $((kept + dropped)) ] || fail "produced$what $produced != kept $kept + dropped $dropped"
    done
}

# numbers: of the writer's markers, "THREAD NUMBER" a line, in order.
numbers() {
    awk -F'\t' '$1 == "marker" && $4 == "count" { print $8 }' facts | sort -n -k1,1 -k2,2
}

# A thread's markers: none is missing between the first that is there and the last; the last is the one
# that was counted or the one before it (a thread counts first, and may be killed in between).
has_all_to_the_end() {
    numbers >numbers
    awk '
        NR > 1 && $1 == thread && $2 != last + 1 { print "thread " thread " misses what is between " last " and " $2 }
        { thread = $1; last = $2; lasts[$1] = $2 }
        END { for (t in lasts) print t, lasts[t] > "ranges" }' numbers >gaps
    [ ! -s gaps ] || fail "$(head -n 3 gaps)"
    sort -n ranges | awk '{ print $2 }' >got
    counts_of w >counted
    [ "$(wc -l <got)" -eq "$(wc -l <counted)" ] || fail "$(wc -l <got) threads instead of $(wc -l <counted)"
    paste got counted | awk '$1 < $2 - 1 || $1 > $2 { bad = 1 } END { exit bad }' ||
        fail "ends at $(xargs <got), counted were $(xargs <counted)"
}

# profd ends with its command: so the writer is below a shell that goes on.
start_writer() {
    rm -f w w.pid go
    start_profd --memory-limit "$1" -- sh -c "until [ -e go ]; do sleep 0.01; done; '$programs/writer' '$scratch/w' 2 $2 & echo \$! >w.pid; wait; sleep 100"
    expect 0 "$profctl" start --memory-limit "$1"
    touch go
    wait_until test -s w.pid
    wait_until writes
    children+=("$(cat w.pid)")
}

writes() {
    [ -s w ] && [ "$(od -An -tu8 -N8 w | tr -d ' ')" -gt 0 ]
}

end_writer() {
    sleep "0.$((RANDOM % 30 + 5))"
    kill -KILL "$(cat w.pid)"
    wait_until has_ended_in_profd
}

has_ended_in_profd() {
    "$profctl" status | grep -E "^ *$(cat w.pid) +killed"
}

stop_profd() {
    kill -TERM "$daemon"
    wait "$daemon" || true
}

test_killed_at_random_instants() {
    for _ in $(seq "$rounds"); do
        start_writer 256M 20
        end_writer
        capture
        adds_up
        [ "${fact[droppedBlocks]}" -eq 0 ]
        has_all_to_the_end
        stop_profd
    done
}

# With a low limit the oldest are gone, and counted; what is there is without a gap to the end.
test_killed_with_a_low_limit() {
    local produced
    for _ in $(seq "$rounds"); do
        start_writer 2M 0
        end_writer
        capture
        adds_up
        has_all_to_the_end
        produced=$(counts_of w | awk '{ sum += $1 } END { printf "%.0f\n", sum }')
        [ "${fact[producedBlocks]}" -ge $((produced - 2)) ] ||
            fail "${fact[producedBlocks]} blocks were produced, and at least $produced were counted"
        stop_profd
    done
}

test_captured_while_it_writes() {
    start_writer 4M 0
    for _ in $(seq "$rounds"); do
        capture
        adds_up
    done
}

test_frozen_while_it_writes() {
    start_writer 4M 0
    for _ in 1 2 3; do
        kill -STOP "$(cat w.pid)"
        capture --timeout 1s
        grep -qx frozen <(meta_of writer profd.verdict)
        adds_up
        kill -CONT "$(cat w.pid)"
    done
}

run_tests "$@"
