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
    [ "$(samples_of busy GeckoMain)" -gt 50 ]
}

test_help_names_every_variable_and_feature() {
    alone 0 PROFD_HELP=1 sh -c 'exit 42'
    for word in PROFD_STARTUP_INTERVAL PROFD_STARTUP_CLOCK PROFD_STARTUP_FEATURES PROFD_STARTUP_FILTERS \
        PROFD_STARTUP_LIMIT PROFD_SHUTDOWN PROFD_DISABLE markers labels; do
        says "$word" stdout
    done
}

run_tests "$@"
