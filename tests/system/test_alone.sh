#!/bin/bash
# The agent alone: a profiler for one process, without any profd.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

library=$build/lib/libprofd.so

# alone STATUS [NAME=VALUE…] COMMAND…: with the agent in it, and no profd to talk to.
alone() {
    local wanted=$1
    shift
    expect "$wanted" env -u PROFD_SOCKET LD_PRELOAD="$library" PROFD_STARTUP=1 "$@"
}

test_a_process_writes_its_profile_when_main_returns() {
    alone 0 PROFD_SHUTDOWN=out.json "$programs/busy" 0.3
    refute test -s stderr
    [ -z "$(find . -name '.profd-*')" ]
    expect 0 "$profctl" symbolicate out.json
    says '1 process,' stderr
    read_facts out.json
    has_process busy
    has_function busy burn_inner
    [ "$(samples_of busy GeckoMain)" -gt 5 ]
    expect 0 "$profctl" report out.json
    says 'burn_inner' stdout
}

# There is nobody for an agent's thread to talk to.
test_the_thread_that_looks_gives_way_and_comes_back_alone() {
    need_root
    alone 0 PROFD_SHUTDOWN=out.json "$programs/few_tasks" 54322 4 profd-sampler
}

test_each_forked_child_writes_its_own() {
    alone 0 PROFD_SHUTDOWN=out-%p.json "$programs/forks_and_exits" 0.2
    refute test -s stderr
    [ "$(find . -name 'out-*.json' | wc -l)" -eq 2 ]
    for file in out-*.json; do
        read_facts "$file"
        has_process forks_and_exits
        [ "$(samples_of forks_and_exits GeckoMain)" -gt 20 ]
    done
}

test_a_program_that_changes_its_folder_writes_where_it_started() {
    mkdir elsewhere
    alone 0 PROFD_SHUTDOWN=out.json bash -c 'cd elsewhere; exit 0'
    read_facts out.json
    has_process bash
}

test_the_settings_are_those_of_the_environment() {
    alone 0 PROFD_SHUTDOWN=out.json PROFD_STARTUP_INTERVAL=20ms PROFD_STARTUP_FEATURES=stacks \
        "$programs/busy" 0.3
    read_facts out.json
    grep -q '"features":\["stacks"\]' out.json
    grep -q '"interval":20,' out.json
}

test_the_limit_holds() {
    alone 0 PROFD_SHUTDOWN=out.json PROFD_STARTUP_LIMIT=1M "$programs/forks_and_exits" 0.01 400000
    read_facts out.json
    kept=$(grep -c '^marker.*mark' facts)
    [ "$kept" -gt 10000 ]
    [ "$kept" -lt 400000 ]
    says '"recycled":{"blocks":[1-9]' out.json
    alone 0 PROFD_SHUTDOWN=out.json PROFD_STARTUP_LIMIT=200M "$programs/forks_and_exits" 0.01 400000
    read_facts out.json
    [ "$(grep -c '^marker.*mark' facts)" -eq 400000 ]
}

test_bad_values_are_told_in_one_line_and_the_program_goes_on() {
    for bad in PROFD_STARTUP_INTERVAL=soon PROFD_STARTUP_CLOCK=pref PROFD_STARTUP_FEATURES=stakcs PROFD_STARTUP_LIMIT=1 \
        PROFD_STARTUP=2 PROFD_SIGNAL=none PROFD_SIGNAL=KILL PROFD_SIGNAL=32 PROFD_SHUTDOWN=out.txt PROFD_SHUTDOWN=no/such/folder.json \
        PROFD_SHUTDOWN=/dev/null; do
        alone 42 PROFD_SHUTDOWN=out.json "$bad" sh -c 'exit 42'
        one_line stderr
        says "${bad%%=*}" stderr
        refute test -e out.json
    done
    [ -c /dev/null ]
}

# Limits under which the session cannot begin.
test_a_session_that_cannot_begin_is_told_in_one_line_and_the_program_goes_on() {
    # shellcheck disable=SC2016
    alone 42 PROFD_SHUTDOWN=out.json prlimit --fsize=1024 sh -c 'exit 42'
    one_line stderr
    says 'PROFD_SHUTDOWN: .*ulimit -f.*; nothing is recorded' stderr
    refute test -e out.json
}

test_an_older_file_stays_until_the_new_one_is_whole() {
    echo older >out.json
    ln out.json same.json
    alone 0 PROFD_SHUTDOWN=out.json "$programs/busy" 0.05
    read_facts out.json
    [ "$(cat same.json)" = older ]
    echo older >out.json
    # A limit on the size of files is a full disk that needs no root.
    # shellcheck disable=SC2016
    alone 3 PROFD_SHUTDOWN=out.json bash -c 'ulimit -f 1; exit 3'
    one_line stderr
    says 'out.json: ' stderr
    [ "$(cat out.json)" = older ]
    [ -z "$(find . -name '.profd-*')" ]
}

test_a_full_disk_leaves_no_half_file() {
    need_root
    mkdir small
    mount -t tmpfs -o size=8k tmpfs small || skip "may not mount"
    alone 0 PROFD_SHUTDOWN=small/out.json "$programs/busy" 0.3
    one_line stderr
    says 'no space' stderr
    [ -z "$(ls -A small)" ]
}

test_standard_error_that_became_something_else_is_left_alone() {
    # shellcheck disable=SC2016
    alone 0 PROFD_SHUTDOWN="$scratch/out.json" bash -c 'mkdir out.json; exec 2>data; exit 0'
    refute test -s data
}

test_a_profd_that_happens_to_run_does_not_stop_it() {
    mkdir run
    chmod 700 run
    PROFD_SOCKET=$scratch/run/profd.sock start_profd
    alone 0 XDG_RUNTIME_DIR="$scratch/run" PROFD_SHUTDOWN=out.json "$programs/busy" 0.3
    read_facts out.json
    [ "$(samples_of busy GeckoMain)" -gt 5 ]
}

test_help_names_every_variable_and_feature() {
    alone 0 PROFD_HELP=1 sh -c 'exit 42'
    for word in PROFD_STARTUP_INTERVAL PROFD_STARTUP_CLOCK PROFD_STARTUP_FEATURES PROFD_STARTUP_FILTERS \
        PROFD_STARTUP_LIMIT PROFD_SHUTDOWN PROFD_DISABLE markers labels; do
        says "$word" stdout
    done
}

# start_unwatched [NAME=VALUE…] COMMAND…: it finds no profd where it is told of one.
start_unwatched() {
    in_background env LD_PRELOAD="$library" PROFD_STARTUP=1 "$@" 2>unwatched.err
    unwatched=$background
}

# number_markers [NAME=VALUE…] [COUNT]: into n, at least 200 before there is a profd.
number_markers() {
    local count=${*: -1}
    start_unwatched "${@:1:$#-1}" "$programs/numbered" "$PWD/n" "$count"
    wait_until has_numbers n 200
}

# has_numbers FILE COUNT
has_numbers() {
    [ -s "$1" ] && [ "$(od -An -tu8 -N8 "$1" | tr -d ' ')" -ge "$2" ]
}

number_now() {
    od -An -tu8 -N8 "$1" | tr -d ' '
}

# begin_session OPTION…: one of profd, until it has markers of the process that was there before. SINCE is the number
# at that time.
begin_session() {
    expect 0 "$profctl" start "$@"
    since=$(number_now n)
    wait_until is_recorded_since "$since"
    since=$(number_now n)
}

is_recorded_since() {
    expect 0 "$profctl" capture --no-symbols -o some.json
    read_facts some.json
    awk -F'\t' -v since="$1" '$1 == "marker" && $4 == "number" && $8 > since { found = 1 } END { exit !found }' facts
}

# The first 200 markers, and those since the session began, are in the capture.
has_all_of_both() {
    local since=$1
    awk -F'\t' '$1 == "marker" && $4 == "number" { print $8 }' facts | sort -n >numbers
    [ "$(awk '$1 <= 200' numbers | wc -l)" -eq 200 ] || fail "of the first 200: $(awk '$1 <= 200' numbers | wc -l)"
    [ "$(awk -v since="$since" '$1 > since && $1 <= since + 200' numbers | wc -l)" -eq 200 ] || fail "not all since $since"
    [ "$(uniq -d numbers | wc -l)" -eq 0 ]
}

# As the environment wanted it before there was a profd, and as the session wants it since.
test_what_was_recorded_before_profd_came_is_in_its_capture() {
    local since
    number_markers 1000000
    start_profd --memory-limit 16M
    begin_session --interval 7ms --features markers,stacks,cpu --memory-limit 16M
    wait_until has_numbers n $((since + 300))
    expect 0 "$profctl" capture --no-symbols -o out.json
    read_facts out.json
    has_all_of_both "$since"
    [ "$(process_count numbered)" -eq 1 ]
    kill -KILL "$unwatched"
}

test_it_waits_for_the_session_that_profd_has_later() {
    local since
    number_markers 1000000
    start_profd
    wait_until is_connected "$unwatched"
    since=$(number_now n)
    wait_until has_numbers n $((since + 100))
    begin_session
    wait_until has_numbers n $((since + 300))
    kill -KILL "$unwatched"
    expect 0 "$profctl" capture --no-symbols -o out.json
    read_facts out.json
    has_all_of_both "$since"
}

# The oldest goes when it does not fit profd's limit, and is counted.
test_the_limit_holds_for_what_comes_over() {
    start_unwatched PROFD_STARTUP_LIMIT=32M "$programs/writer" "$PWD/w" 4 0
    wait_until has_arena_of "$unwatched" $((12 * 1024))
    start_profd --memory-limit 4M
    expect 0 "$profctl" start --memory-limit 4M
    wait_until is_within 4M
    kill -KILL "$unwatched"
    expect 0 "$profctl" capture --no-symbols -o out.json
    read_facts out.json
    [ "$(meta_of writer profd.keptBlocks)" -gt 1000 ]
    [ "$(meta_of writer profd.droppedBlocks)" -gt 1000 ]
    [ "$(meta_of writer profd.lostBlocks)" -eq 0 ]
}

# has_arena_of PID KB: that many are in memory.
has_arena_of() {
    [ "$(awk '/profd-arena/ { is_it = 1 } is_it && $1 == "Rss:" { print $2; exit }' "/proc/$1/smaps")" -gt "$2" ]
}

is_within() {
    local bytes
    bytes=$("$profctl" --json status | grep -oE '"kernel_bytes": ?[0-9]+' | grep -oE '[0-9]+$')
    [ "$bytes" -gt 0 ] && [ "$bytes" -le $((${1%M} * 1024 * 1024)) ]
}

test_a_session_that_was_handed_over_is_in_the_last_file_too() {
    number_markers PROFD_SHUTDOWN=last.json 1500
    start_profd
    expect 0 "$profctl" start
    wait_until is_connected "$unwatched"
    wait_until has_ended "$unwatched"
    read_facts last.json
    has_all_of_both 1000
}

test_without_a_session_the_last_file_is_written() {
    number_markers PROFD_SHUTDOWN=last.json 1500
    start_profd
    wait_until is_connected "$unwatched"
    wait_until has_ended "$unwatched"
    read_facts last.json
    [ "$(grep -c '^marker.*	number	' facts)" -ge 200 ]
}

test_a_session_that_profd_ended_leaves_no_last_file_and_says_so() {
    number_markers PROFD_SHUTDOWN=last.json 1500
    start_profd
    expect 0 "$profctl" start
    wait_until is_connected "$unwatched"
    expect 0 "$profctl" stop
    wait_until has_ended "$unwatched"
    one_line unwatched.err
    says 'PROFD_SHUTDOWN: profd ended the session' unwatched.err
    refute test -e last.json
}

is_connected() {
    "$profctl" status | grep -qE "^ *$1 "
}

run_tests "$@"
