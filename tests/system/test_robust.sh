#!/bin/bash
# Whatever one process does costs its own profile at most: the capture has all others, whole.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_honest N: profd with a session, and N writers below it.
start_honest() {
    local i
    echo 'until [ -e go ]; do sleep 0.01; done' >all.sh
    for i in $(seq "$1"); do
        echo "'$programs/writer' '$scratch/w$i' 1 1000 &"
    done >>all.sh
    echo 'wait' >>all.sh
    start_profd -- sh all.sh
    expect 0 "$profctl" start
    touch go
    for i in $(seq "$1"); do
        wait_until has_reached "w$i" 50
    done
    mapfile -t writers < <(pgrep -f "^$programs/writer $scratch")
    children+=("${writers[@]}")
}

number_in() {
    od -An -tu8 -N8 "$1" | tr -d ' '
}

has_reached() {
    [ -s "$1" ] && [ "$(number_in "$1")" -ge "$2" ]
}

# The capture in $1 has all that the N writers wrote so far.
has_honest() {
    read_facts "$1"
    [ "$(process_count writer)" -eq "$2" ] || fail "$(process_count writer) writers instead of $2"
    awk -F'\t' '$1 == "marker" && $4 == "count" { split($8, part, " "); print $2, part[2] }' facts |
        sort -k1,1 -k2,2n | awk '
            $1 == pid && $2 != last + 1 { print "between " last " and " $2; bad = 1 }
            $1 != pid && $2 != 1 { print "before " $2; bad = 1 }
            { pid = $1; last = $2 }
            END { exit bad }' >gaps || fail "markers are missing: $(head -n 3 gaps)"
}

# lie_about WHAT: what profctl says of the capture is in ./stderr-of-lie.
lie_about() {
    start_honest 2
    in_background "$programs/liar" "$PROFD_SOCKET" "$1" >liar.out
    wait_until grep -q met liar.out
    expect 0 "$profctl" capture -o out.json
    has_honest out.json 2
    cp stderr stderr-of-lie
    # And once more: nothing has gone wrong in profd.
    expect 0 "$profctl" capture -o again.json
    has_honest again.json 2
}

test_noise_for_an_arena() {
    lie_about noise
}

test_an_arena_with_huge_counts() {
    lie_about huge-counts
}

test_an_arena_without_a_header() {
    lie_about no-header
}

test_a_malformed_profile() {
    lie_about malformed
    says 'made a profile that is damaged' stderr-of-lie
}

test_top_leaves_out_what_is_damaged() {
    start_honest 1
    in_background "$programs/liar" "$PROFD_SOCKET" malformed >liar.out
    wait_until grep -q met liar.out
    expect 0 "$profctl" top --once
}

test_a_profile_that_does_not_end() {
    lie_about unclosed
    says 'made a profile that is damaged' stderr-of-lie
}

test_a_profile_that_goes_on_beyond_itself() {
    lie_about escaping
    says 'made a profile that is damaged' stderr-of-lie
}

test_a_profile_without_meaning() {
    lie_about meaningless
    says 'made a profile that is damaged' stderr-of-lie
}

test_an_empty_profile() {
    lie_about empty
    says 'made a profile that is damaged' stderr-of-lie
}

test_a_deeply_nested_profile() {
    lie_about nested
    says 'made a profile that is damaged' stderr-of-lie
}

test_a_profile_longer_than_its_file() {
    lie_about longer-than-it-is
}

test_a_pipe_for_a_profile() {
    lie_about a-pipe
}

test_an_answer_to_another_capture() {
    lie_about of-another-capture
}

test_no_answer() {
    lie_about nothing
}

test_an_agent_that_hangs_up() {
    lie_about hang-up
}

test_closed_descriptors() {
    start_profd -- "$programs/close_all"
    expect 0 "$profctl" start
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
}

worker_is_locked_in() {
    local worker
    worker=$(pgrep -P "$daemon" -x profd-salvage | head -n1)
    grep -q '^Seccomp:[[:space:]]*2' "/proc/$worker/status" &&
        grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$worker/status"
}

# capture_with_a_look: whether the worker was seen locked in before the capture was there.
capture_with_a_look() {
    local seen=1
    in_background "$profctl" capture --no-symbols -o out.json
    while [ $seen -ne 0 ] && is_running "$background"; do
        ! worker_is_locked_in || seen=0
    done
    wait "$background" && return $seen
}

# A worker can only read, write and get memory. It takes a while over what a busy writer recorded.
test_salvage_is_locked_in() {
    [[ $PROFD_BUILD == */plain ]] || skip "sanitizers need system calls of their own"
    start_profd -- "$programs/writer" "$scratch/w" 1 0
    expect 0 "$profctl" start
    wait_until pgrep -P "$daemon" -x writer
    local writer
    writer=$(pgrep -P "$daemon" -x writer)
    children+=("$writer")
    wait_until has_reached w 1000000
    kill -STOP "$writer"
    wait_until capture_with_a_look
    kill -CONT "$writer"
}

small_disk() {
    need_root
    mkdir small
    mount -t tmpfs -o size="$1" tmpfs small || skip "may not mount"
}

test_a_full_disk() {
    small_disk 64k
    start_honest 2
    wait_until has_reached w1 2000
    expect 1 "$profctl" capture -o small/out.json
    one_line stderr
    says 'No space left|no space' stderr
    refute test -e small/out.json
    umount small
    expect 0 "$profctl" capture -o out.json
    has_honest out.json 2
}

fill_disk() {
    cat /dev/zero >small/fill 2>/dev/null || true
}

# What stands beside the socket is mapped by profd and by every profiled program.
test_a_full_disk_beside_the_socket() {
    small_disk 4m
    PROFD_SOCKET=$scratch/small/profd.sock
    start_profd -- sh -c "until [ -e go ]; do sleep 0.01; done
        for i in 1 2 3 4; do '$programs/busy' 0.3 || exit; done; exec '$programs/busy' 100 pid"
    expect 0 "$profctl" start
    fill_disk
    touch go
    wait_until test -s pid
    expect 0 "$profctl" pause
    refute test -e small/profd.sock.session
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_function busy burn_outer
    [ "$(process_count busy)" -eq 5 ]
    kill -TERM "$daemon"
    wait "$daemon" || true
    [ "$(ls -A small)" = fill ]
}

test_no_room_for_what_stands_beside_the_socket() {
    small_disk 64k
    PROFD_SOCKET=$scratch/small/profd.sock
    expect 1 "$profd" --log-level error
    one_line stderr
    says 'profd.sock.leases.*no space' stderr
    [ -z "$(ls -A small)" ]
}

test_a_memory_cgroup_that_kills() {
    need_root
    local group=/sys/fs/cgroup/profd-test-$$
    [ -f /sys/fs/cgroup/cgroup.controllers ] && mkdir "$group" 2>/dev/null || skip "no cgroup v2"
    if ! echo 8M >"$group/memory.max" 2>/dev/null; then
        rmdir "$group"
        skip "no memory controller"
    fi
    echo 0 >"$group/memory.swap.max" 2>/dev/null || true
    start_profd -- sh -c "until [ -e go ]; do sleep 0.01; done; (echo 0 >$group/cgroup.procs; exec '$programs/eater'); echo \$? >status; sleep 100"
    expect 0 "$profctl" start
    touch go
    wait_until test -s status
    rmdir "$group"
    [ "$(cat status)" -eq 137 ]
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    ended eater killed 9
    has_function eater eat
}

run_tests "$@"
