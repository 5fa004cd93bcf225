#!/bin/bash
# profctl run: what comes out, and what it says when it cannot.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_names_the_process_and_its_functions() {
    expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.3
    read_facts out.json
    has_process busy
    has_function busy main
    has_function busy burn_outer
    [ "$(samples_of busy GeckoMain)" -gt 5 ]
}

test_writes_gzip_by_extension() {
    expect 0 "$profctl" run -o out.json.gz -- "$programs/busy" 0.1
    gzip -t out.json.gz
    read_facts out.json.gz
    has_process busy
}

test_passes_output_and_status_of_the_command_through() {
    # shellcheck disable=SC2016
    expect 42 "$profctl" run -o out.json -- sh -c 'echo "to $1"; echo error >&2; exit 42' sh stdout
    [ "$(cat stdout)" = "to stdout" ]
    grep -qx error stderr
    [ -s out.json ]
}

test_command_gets_no_descriptor_of_profd() {
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c 'ls -l /proc/$$/fd >descriptors'
    refute grep -E 'socket:|memfd:' descriptors
}

test_profctl_that_is_killed_leaves_no_folder() {
    # shellcheck disable=SC2016
    in_background "$profctl" run -o out.json -- sh -c 'echo $$ >pid; exec sleep 60'
    wait_until test -s pid
    children+=("$(cat pid)")
    socket=$(tr '\0' '\n' <"/proc/$(pgrep -P "$background")/cmdline" | grep 'profd.sock$')
    [ -S "$socket" ]
    kill -KILL "$background"
    wait_until test ! -e "${socket%/*}"
}

# The command's status is still told, signals still reach it, and nothing is left behind.
test_profd_that_is_killed_leaves_the_command() {
    # shellcheck disable=SC2016
    in_background "$profctl" run -o out.json -- bash -c \
        'trap "exit 9" TERM; echo $$ >pid; while :; do sleep 0.02; done' 2>stderr
    wait_until test -s pid
    children+=("$(cat pid)")
    local private_profd
    private_profd=$(pgrep -P "$background")
    socket=$(tr '\0' '\n' <"/proc/$private_profd/cmdline" | grep 'profd.sock$')
    kill -KILL "$private_profd"
    wait_until test ! -e "${socket%/*}"
    kill -TERM "$background"
    local status=0
    wait "$background" || status=$?
    [ "$status" -eq 9 ] || fail "status $status"
    says "keeps running without being profiled" stderr
}

# A process that is stopped keeps the capture waiting. A profd that profctl started has no log to look at.
test_profd_that_is_killed_during_the_capture_is_told() {
    # shellcheck disable=SC2016
    in_background "$profctl" run -o out.json -- bash -c \
        '"$1" 60 & echo $! >pid; wait_for=/proc/$!/task; while [ "$(ls $wait_for | wc -l)" -lt 3 ]; do :; done
         kill -STOP $!; echo $$ >command' - "$programs/named_threads" 2>stderr
    wait_until test -s command
    children+=("$(cat pid)")
    wait_until test ! -e "/proc/$(cat command)"
    kill -KILL "$(pgrep -P "$background" profd)"
    local status=0
    wait "$background" || status=$?
    [ "$status" -eq 3 ] || fail "status $status"
    one_line stderr
    says "has ended without answering; run the command again" stderr
}

test_standard_streams_may_be_closed() {
    for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
        expect 7 bash -c "exec '$profctl' run -o out.json -- sh -c 'exit 7' $closed"
        refute grep -i assert stderr
        read_facts out.json
        has_process sh
    done
    expect 1 bash -c "exec '$profctl' run -o out.json -- readlink /proc/self/fd/0 <&-"
}

test_tells_a_signal_by_the_status() {
    # shellcheck disable=SC2016
    expect 143 "$profctl" run -o out.json -- sh -c 'kill -TERM $$'
    [ -s out.json ]
}

test_record_is_another_name() {
    expect 0 "$profctl" record -o out.json -- "$programs/busy" 0.05
    read_facts out.json
    has_process busy
}

test_keeps_the_older_default_file() {
    expect 0 "$profctl" run -- "$programs/busy" 0.05
    cp profile.json.gz first
    expect 0 "$profctl" run -- "$programs/busy" 0.05
    cmp first profile.old.json.gz
    gzip -t profile.json.gz
}

test_command_that_does_not_exist() {
    echo "older capture" >out.json
    expect 127 "$profctl" run -o out.json -- ./no-such-command
    one_line stderr
    says no-such-command stderr
    [ "$(cat out.json)" = "older capture" ]
}

# A shell that looks for it says "not found" as well.
test_command_that_is_in_no_folder_that_may_be_entered() {
    local as_nobody=(runuser -u nobody -- env "PATH=$scratch/closed:$PATH")
    need_root
    mkdir -m 700 closed
    mkdir -m 777 out
    expect 127 "${as_nobody[@]}" sh -c no-such-command
    expect 127 "${as_nobody[@]}" "$profctl" run -o out/out.json -- no-such-command
    says "^profctl: can.*t run 'no-such-command': no such command" stderr
    expect 127 "${as_nobody[@]}" "$profd" --socket out/profd.sock -- no-such-command
    touch out/document
    expect 126 "${as_nobody[@]}" "PATH=$scratch/out:$PATH" "$profctl" run -o out/out.json -- document
    says 'Permission denied' stderr
}

# without_proc COMMAND…: where /proc is not mounted.
without_proc() {
    # shellcheck disable=SC2016
    unshare --mount sh -c 'umount -l /proc && exec "$0" "$@"' "$@"
}

test_a_place_without_proc_runs_the_command_all_the_same() {
    need_root
    without_proc true || skip "/proc cannot be unmounted"
    export -f without_proc
    echo older >profile.json.gz
    expect 7 bash -c 'without_proc "$@"' - "$profctl" run -- sh -c 'echo ran; exit 7'
    [ "$(cat stdout)" = ran ]
    one_line stderr
    says "'sh' runs without being profiled" stderr
    [ "$(ls)" = "$(printf '%s\n' profile.json.gz stderr stdout)" ] || fail "$(ls)"
    expect 127 bash -c 'without_proc "$@"' - "$profctl" run -- no-such-command
    says "cannot run 'no-such-command': no such command" stderr
    expect 1 bash -c 'without_proc "$@"' - "$profctl" run --strict -- touch ran
    one_line stderr
    [ ! -e ran ]
    expect 2 bash -c 'without_proc "$@"' - "$profctl" run --interval soon -- touch ran
    [ ! -e ran ]
}

test_a_command_whose_limits_leave_no_room_for_profd_runs_all_the_same() {
    local limit
    for limit in '-f 100' '-n 12'; do
        expect 5 bash -c "ulimit $limit; exec '$profctl' run -o out.json -- sh -c 'echo ran; exit 5'"
        says '^ran$' stdout
        says "profd cannot start; 'sh' runs without being profiled" stderr
    done
}

test_output_that_cannot_be_written_fails_before_the_command_starts() {
    expect 1 "$profctl" run -o no/such/folder/out.json -- touch started
    one_line stderr
    says no/such/folder stderr
    [ ! -e started ]
}

test_usage_errors_exit_2() {
    expect 2 "$profctl" run --interval soon -- true
    one_line stderr
    expect 2 "$profctl" no-such-command
    one_line stderr
}

test_without_a_daemon_exits_3() {
    expect 3 "$profctl" status
    one_line stderr
}

# A file system of 256 KB: more than that is recorded.
test_full_disk_is_one_line_and_a_failure() {
    need_root
    mkdir small
    mount -t tmpfs -o size=256k tmpfs small 2>/dev/null || skip "may not mount a tmpfs"
    dd if=/dev/zero of=small/filler bs=1k count=240 2>/dev/null
    expect 1 "$profctl" run --no-symbols --interval 200us -o small/out.json -- "$programs/busy" 1
    one_line stderr
    says 'space' stderr
}

test_report_names_the_hottest_function() {
    expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.3
    expect 0 "$profctl" report out.json
    says burn_inner stdout
    says busy stdout
}

test_a_small_stack_is_enough() {
    (ulimit -s 128 && expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.2)
    read_facts out.json
    has_function busy burn_outer
}

test_no_symbols_leaves_addresses() {
    expect 0 "$profctl" run --no-symbols -o out.json -- "$programs/busy" 0.2
    read_facts out.json
    refute grep -q burn_inner facts
    grep -qE '^string.0?.*0x[0-9a-f]+$' facts
}

run_tests "$@"
