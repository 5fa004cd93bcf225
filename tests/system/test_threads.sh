#!/bin/bash
# What is known of threads, and what they may tell of themselves.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# run_with OPTIONS… -- COMMAND…
run_with() {
    expect 0 "$profctl" --quiet run --clock "$clock" -o out.json "$@"
    read_facts out.json
}

# answers WORDS…: these, in this order, are what the program said of itself.
answers() {
    [ "$(tr ' \n' '= ' <stdout)" = "$* " ] || fail "said: $(tr ' \n' '= ' <stdout)"
}

lacks_function() {
    if (has_function "$1" "$2") >/dev/null; then
        fail "$1 has $2"
    fi
}

asleep="asleep=yes still-asleep=yes awake-asleep=no"

test_states_of_a_profiled_thread() {
    run_with -- "$programs/thread_states"
    # shellcheck disable=SC2086
    answers registered=yes profiled=yes markers=yes nothing=no by-id=yes \
        registered-after-end=no profiled-after-end=no gone=no $asleep
    has_function thread_states "of the main thread"
}

test_states_follow_features() {
    run_with --features stacks -- "$programs/thread_states"
    # shellcheck disable=SC2086
    answers registered=yes profiled=yes markers=no nothing=no by-id=yes \
        registered-after-end=no profiled-after-end=no gone=no $asleep
}

test_states_without_a_session() {
    expect 0 "$programs/thread_states"
    # shellcheck disable=SC2086
    answers registered=no profiled=no markers=no nothing=no by-id=no \
        registered-after-end=no profiled-after-end=no gone=no $asleep
}

# Whatever it says, its own clock knows where it works.
test_a_thread_that_is_said_to_sleep_is_sampled_where_it_works() {
    run_with -- "$programs/thread_states"
    has_function thread_states awake_again
    has_function thread_states asleep_later
}

# More threads at once than there is room for what they record: all of them are known by name.
test_threads_keep_their_names_when_memory_is_short() {
    run_with --memory-limit 32M -- "$programs/many_threads" 3000 record
    [ "$(awk -F'\t' '$1 == "thread" && $3 ~ /^thread-[0-9]+$/ { print $3 }' facts | sort -u | wc -l)" -eq 3000 ]
    [ "$(meta_of many_threads profd.events.dictionary-full)" -eq 0 ]
    [ "$(meta_of many_threads profd.drops.memory-limit.blocks)" -gt 0 ]
}

test_filter_by_the_id_of_another_process() {
    run_with --threads pid:1 -- "$programs/thread_states"
    # shellcheck disable=SC2086
    answers registered=yes profiled=no markers=no nothing=no by-id=no \
        registered-after-end=no profiled-after-end=no gone=no $asleep
    lacks_function thread_states "of the main thread"
    lacks_function thread_states awake_again
}

test_filter_by_process_id() {
    start_profd
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" 60
    local chosen=$background
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" 60
    expect 0 "$profctl" start --clock "$clock" --threads "nobody,pid:$chosen"
    wait_until has_samples_of "$chosen"
    awk -F'\t' -v pid="$background" '$1 == "thread" && $2 == pid && $4 > 1 { exit 1 }' facts ||
        fail "the other process was sampled, too"
}

has_samples_of() {
    "$profctl" --quiet capture -o out.json && gzip -cdf out.json | "$programs/capture_facts" >facts &&
        awk -F'\t' -v pid="$1" '$1 == "thread" && $2 == pid && $4 > 10 { found = 1 } END { exit !found }' facts
}

test_filter_by_name_and_star() {
    run_with --threads SLEEP -- "$programs/thread_states"
    has_function thread_states awake_again
    lacks_function thread_states "of the main thread"
    has_function thread_states "with a name that is let in"
    lacks_function thread_states "with a name that is left out"
    has_function thread_states "let in again"
    run_with --threads 'nobody,*' -- "$programs/thread_states"
    has_function thread_states awake_again
    has_function thread_states "of the main thread"
}


# markers_about NAME TEXT: how many markers there are.
markers_about() {
    awk -F'\t' -v name="$1" -v text="$2" '$1 == "marker" && $4 == name && $8 == text' facts | wc -l
}

test_unregistered_threads_are_found() {
    run_with --features stacks,unregisteredthreads -- "$programs/raw_thread"
    [ "$(markers_about 'Unregistered thread found' 'raw worker')" -eq 1 ]
    [ "$(markers_about 'Unregistered thread' 'raw worker')" -ge 1 ]
    [ "$(markers_about 'Unregistered thread ended' 'raw worker')" -eq 1 ]
    # Neither the agent's own threads nor registered ones are among them.
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "Unregistered thread found"' facts | wc -l)" -eq 1 ]
}

test_unregistered_threads_are_not_looked_for_by_themselves() {
    run_with -- "$programs/raw_thread"
    [ "$(markers_about 'Unregistered thread' 'raw worker')" -eq 0 ]
}

test_brief_threads_have_start_and_end() {
    # So seldom that hardly one of them meets a tick.
    run_with --interval 100ms -- "$programs/brief_threads" 3000
    awk -F'\t' '
        $1 == "life" && $3 ~ /^brief / {
            lives++
            split($3, word, " ")
            if (word[2] != lives - 1 || $4 < last_end || $5 == "nan" || $5 < $4) bad = bad "\n" $0
            last_end = $5
        }
        END { if (lives != 3000 || bad != "") { print lives + 0 " lives; wrong:" bad; exit 1 } }' facts >lives ||
        fail "$(head -n 5 lives)"
    [ "$(awk -F'\t' '$1 == "life" && $3 == "renamed"' facts | wc -l)" -eq 1 ] || fail "none is called renamed"
}

run_tests_with_each_clock "$@"
