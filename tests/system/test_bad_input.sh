#!/bin/bash
# What careless programs say, and how much of it: the profile is valid, and the loss is counted.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_what_is_no_text_or_time_is_shown_all_the_same() {
    expect 0 "$profctl" run -o out.json -- "$programs/bad_input"
    read_facts out.json
    is_utf8 out.json
    grep -q $'^process\t.*\tbad "input" ' facts
    awk -F'\t' '$1 == "marker" { print $4 }' facts >names
    grep -q '^odd "marker" ' names
    grep -qF '"name":"odd \"counter\" ' out.json
    # Intervals that end before they begin have no duration, and are counted.
    awk -F'\t' '$1 == "marker" && ($4 ~ /future/ || $4 == "turned") { print $5 == $6 }' facts >durations
    [ "$(xargs <durations)" = '1 1 1' ] || fail "$(grep -E 'future|turned' facts)"
    [ "$(meta_of "$(grep -o 'bad "input" .*' facts | head -n1)" profd.events.marker-turned)" -eq 3 ]
}

test_a_thread_may_register_twice() {
    expect 0 "$profctl" run -o out.json -- "$programs/bad_input"
    read_facts out.json
    # It is one thread, by the later name; one that unregistered twice is another when it says more.
    awk -F'\t' '$1 == "marker" && $4 ~ /^(before|between|after)$/ { print $4, substr($3, 1, 6) }' facts >threads
    [ "$(paste -sd, threads)" = 'before second,between second,after bad_in' ] || fail "$(cat threads)"
    [ "$(grep -c $'^thread\t.*\tsecond "name"' facts)" -eq 1 ]
    refute grep -q $'^thread\t.*\tfirst\t' facts
}

test_a_million_strings_are_a_valid_profile() {
    expect 0 "$profctl" run -m 8M -o out.json -- "$programs/bad_input" many
    is_utf8 out.json
    expect 0 "$profctl" report out.json # reads all of it
    kept=$(grep -oE '"string [0-9]+"' out.json | wc -l)
    [ "$kept" -gt 1000 ] || fail "only $kept strings were kept"
    # What is not there was counted: the newest are kept, the oldest went.
    grep -q '"string 999999"' out.json
    refute grep -q '"string 0"' out.json
    [ "$(grep -oE '"recycled":\{"blocks":[0-9]+' out.json | grep -oE '[0-9]+$' | sort -n | tail -n1)" -gt 1000 ]
    grep -q '"dictionary-full":0' out.json
}

run_tests "$@"
