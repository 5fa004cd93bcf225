#!/bin/bash
# Programs and plugins that are linked with libprofd.a: alone they are profiled by the agent inside, and
# under profctl what they say reaches the preloaded one, however they are linked.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Ways to link: where symbols are bound, and to which.
link_modes=("-pie" "-no-pie" "-rdynamic" "-no-pie -rdynamic" "-O0" "-flto" "-ffunction-sections -Wl,--gc-sections"
    "-Wl,--exclude-libs,ALL -rdynamic")
plugin_modes=("-fPIC" "-Wl,--exclude-libs,ALL" "-Wl,-Bsymbolic" "-Wl,-Bsymbolic -Wl,--gc-sections")

# link_archived OUTPUT SOURCE [FLAG…]
link_archived() {
    local output=$1 source=$2
    shift 2
    expect 0 cc -std=gnu11 -D_GNU_SOURCE -O1 -g -I"$source_dir" -I"$source_dir/child-agent/include" "$@" "$source" \
        -o "$output" "$build/lib/libprofd.a" -lm -pthread
}

link_plugin() {
    local output=$1
    shift
    echo '#include "tests/system/programs/archive_plugin.h"' >plugin.c
    link_archived "$output" plugin.c -shared -fPIC "$@"
}

# What the program itself said, in a form that is the same each time.
told() {
    awk -F'\t' -v OFS='\t' '
        $1 == "marker" { print $1, $3, $4, $7, $8 }
        $1 == "value" && $6 != "when" && $6 != "thread" && $6 != "process" { print $1, $3, $4, $5, $6, $6 == "flow" ? "" : $7 }
        $1 == "caller" { print $1, $3, $4, $5 }
        $1 == "counter" && $4 != "CPU" && $4 != "Memory" { print $1, $3, $4, $5, $6 }
        $1 == "category" { print $1, $3, $4, $5 }
        $1 == "marked" { print $1, $3, $4 }' facts | grep -v "profd\|(root)" | sed 's/ (in .*//; s/0x[0-9a-f]*//g' | sort -u
}

# same_as_with_the_library PROGRAM ARGUMENT…: ./PROGRAM says what the one that is linked with libprofd.so says.
same_as_with_the_library() {
    local program=$1
    shift
    expect 0 "$profctl" run --features stacks,labels,markers,counters -o out.json -- "$build/tests/programs/$program" "$@"
    read_facts out.json
    told >wanted
    grep -q '^marker\|^counter' wanted
    expect 0 "$profctl" run --features stacks,labels,markers,counters -o out.json -- "./$program" "$@"
    read_facts out.json
    told >got
    diff wanted got || fail "$program says something else"
}

test_markers_and_counters_reach_the_preloaded_agent() {
    local mode
    for mode in "${link_modes[@]}"; do
        # shellcheck disable=SC2086
        link_archived markers "$source_dir/tests/system/programs/markers.c" $mode
        # shellcheck disable=SC2086
        link_archived counting "$source_dir/tests/system/programs/counting.c" $mode
        same_as_with_the_library markers
        same_as_with_the_library counting 100 fork
    done
}

test_labels_and_names_reach_the_preloaded_agent() {
    local mode
    for mode in -pie "-no-pie -rdynamic" -flto; do
        # shellcheck disable=SC2086
        link_archived labels "$source_dir/tests/system/programs/labels.c" $mode
        expect 0 "$profctl" run -o out.json -- ./labels
        read_facts out.json
        [ "$(grep -c ^process facts)" -eq 2 ] || fail "not one process and profd: $(grep ^process facts)"
        has_function labelled 'inner label'
        has_function labelled 'outer label'
        has_function labelled burn_outer
        [ "$(samples_of labelled GeckoMain)" -gt 0 ]
    done
}

test_scopes_of_cplusplus_reach_the_preloaded_agent() {
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    local mode
    for mode in -O0 -O2 "-O2 -flto" "-rdynamic"; do
        # shellcheck disable=SC2086
        expect 0 c++ -std=c++17 $mode -I"$source_dir/child-agent/include" -I"$source_dir" \
            "$source_dir/tests/system/programs/scopes.cpp" -o scopes "$build/lib/libprofd.a" -pthread
        expect 0 "$profctl" run -o out.json -- ./scopes
        read_facts out.json
        has_function scopes scope
        has_function scopes 'scope of thrown away'
        grep -q $'^value\t.*\ttyped scope\twork\tsteps\t5$' facts || fail "$mode: $(grep ^value facts)"
        grep -q $'^caller\t.*\twith stack\tmain' facts || fail "$mode: $(grep ^caller facts)"
    done
}

test_plugins_reach_the_preloaded_agent() {
    local mode number=0
    for mode in "${plugin_modes[@]}"; do
        number=$((number + 1))
        # shellcheck disable=SC2086
        link_plugin "plugin$number.so" $mode
        expect 0 "$profctl" run --features stacks,labels,markers,counters -o out.json -- \
            "$programs/archive_host" "$scratch/plugin$number.so"
        read_facts out.json
        [ "$(grep -c ^process facts)" -eq 2 ] || fail "$mode: $(grep ^process facts)"
        [ "$(counted archive_host plugged)" = "3 3" ] || fail "$mode: counted $(counted archive_host plugged)"
        [ "$(grep -c $'^marker\t.*\tmarker of a plugin\t' facts)" -eq 3 ] || fail "$mode: $(grep ^marker facts)"
        grep -q $'^caller\t.*\ttyped marker of a plugin\tlabel of a plugin' facts || fail "$mode: $(grep ^caller facts)"
        has_function archive_host 'text of a plugin'
    done
}

has_marker() {
    grep -q $'^marker\t.*\t'"$1"$'\t' facts || fail "no marker $1: $(grep ^marker facts | head)"
}

# Plugins come and go all the while that sessions begin, pause, go on and end.
test_plugins_follow_the_session() {
    local _
    link_plugin one.so -Wl,--exclude-libs,ALL
    link_plugin other.so -Wl,--exclude-libs,ALL -DQUICK
    mkfifo input
    exec 3<>input
    start_profd -- sh -c 'exec "$@" <input' sh "$programs/archive_host" forever "$scratch/one.so" "$scratch/other.so" \
        3>&-
    for _ in 1 2 3; do
        expect 0 "$profctl" start
        wait_until captured_marker 'marker of a plugin'
        expect 0 "$profctl" pause
        expect 0 "$profctl" resume
        expect 0 "$profctl" stop
    done
    exec 3>&-
    wait "$daemon" || fail "the program ended with $?"
}

captured_marker() {
    "$profctl" capture -o now.json && read_facts now.json && grep -q $'^marker\t.*\t'"$1"$'\t' facts
}

test_program_follows_the_session() {
    local state
    link_archived after_sampling "$source_dir/tests/system/programs/after_sampling.c"
    start_profd -- sh -c 'tail -f /dev/null | "$0" forever >outcomes' ./after_sampling
    for state in first second; do
        expect 0 "$profctl" start
        wait_until grep -q completed outcomes
        # Only while the session is paused the program records this marker.
        expect 0 "$profctl" pause --sampling
        wait_until grep -q paused outcomes
        expect 0 "$profctl" capture -o "$state.json"
        read_facts "$state.json"
        has_marker 'not sampled'
        expect 0 "$profctl" stop
        : >outcomes
    done
}

test_alone_the_agent_inside_records() {
    link_archived markers "$source_dir/tests/system/programs/markers.c"
    link_archived counting "$source_dir/tests/system/programs/counting.c"
    expect 0 env -u PROFD_SOCKET PROFD_STARTUP=1 PROFD_SHUTDOWN=out.json ./markers
    read_facts out.json
    grep -q $'^value\t.*\tgood\tevery\tstring\tred$' facts
    expect 0 env -u PROFD_SOCKET PROFD_STARTUP=1 PROFD_STARTUP_FEATURES=counters PROFD_SHUTDOWN=out.json ./counting 100
    read_facts out.json
    grep -q $'^counter\t.*\titems\tWork\t1000400\t401$' facts || fail "$(grep ^counter facts)"
}

# The tests of what programs say, with programs that have the archive inside.
test_everything_that_programs_say() {
    local program
    mkdir programs
    ln -s "$programs"/* programs
    for program in markers other_markers counting categories thread_states events dynamic_labels after_sampling own_session; do
        rm "programs/$program"
        link_archived "programs/$program" "$source_dir/tests/system/programs/$program.c"
    done
    while read -r program; do
        # shellcheck disable=SC2086
        PROFD_PROGRAMS=$scratch/programs PROFD_BUILD=$build bash "$source_dir/tests/system/"$program >said 2>&1 </dev/null ||
            fail "$program: $(cat said)"
    done <<'END'
test_markers.sh test_stacks_are_those_of_the_capture_with_labels_and_without_profiler test_marker_can_belong_to_another_thread test_what_is_no_good_is_left_out_and_counted test_labels_and_names_are_made_at_run_time
test_categories.sh test_bad_ones_are_other_and_counted test_frames_and_markers_have_categories_of_the_program
test_counters.sh test_too_many_counters_are_counted
test_threads.sh test_states_of_a_profiled_thread
test_event_delay.sh test_events_told_by_hand
test_own_session.sh test_a_program_captures_what_it_did_in_its_session test_the_session_of_profd_is_only_captured
END
}

# Its table ends where the archive's looks for more.
test_an_older_library_is_told_of() {
    link_archived labels "$source_dir/tests/system/programs/labels.c"
    echo 'const unsigned long profd_library_calls_[1] = { sizeof(profd_library_calls_) };' >old.c
    expect 0 cc -shared -fPIC old.c -o old.so
    expect 0 env LD_PRELOAD="$scratch/old.so" ./labels
    one_line stderr
    says 'older than the libprofd.a' stderr
}

test_archive_and_library_offer_the_same() {
    nm --defined-only -g "$build/lib/libprofd.a" | awk 'NF == 3 { print $3 }' | sort >in_archive
    nm -D --defined-only "$build/lib/libprofd.so" | awk '/ profd_/ { print $3 }' | grep -v '^profd_library_calls_$' |
        sort | diff - in_archive || fail "they differ"
}

run_tests "$@"
