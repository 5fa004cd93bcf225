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

# refused_with CODE REASON COMMAND…
refused_with() {
    local code=$1 reason=$2
    shift 2
    expect "$code" "$profctl" "$@"
    one_line stderr
    says "$reason" stderr
}

test_what_is_no_profile_is_refused_by_each_command() {
    local file
    echo '{"name":"foo"}' >package.json
    expect 0 "$profctl" run --no-symbols -o x.json -- "$programs/busy" 0.1
    expect 0 "$profctl" convert x.json -o x.trace.json
    expect 0 "$profctl" convert x.json -o x.cpuprofile
    for file in package.json x.trace.json; do
        refused_with 1 'neither "threads" nor "processes"' report "$file"
        refused_with 1 'neither "threads" nor "processes"' convert "$file" -o y.html
        refused_with 1 'neither "threads" nor "processes"' convert "$file" -o y.json
        refused_with 1 'neither "threads" nor "processes"' merge "$file" x.json -o y.json
    done
    refused_with 1 'cannot make captures of them' convert x.cpuprofile -o y.json
    refused_with 1 'cannot make captures of them' symbolicate x.cpuprofile -o y.json
    refused_with 1 'cannot make captures of them' merge x.cpuprofile x.json -o y.json
    [ ! -e y.json ] && [ ! -e y.html ]
}

# What refers to something comes first in what Firefox writes.
test_firefox_order_of_tables_is_read() {
    printf '%s' '{"meta":{"interval":1,"version":30,"startTime":1,"sampleUnits":{"threadCPUDelta":"ns"}},"libs":[],
        "threads":[{"name":"GeckoMain","registerTime":0,"unregisterTime":null,"pid":7,"tid":7,
        "samples":{"schema":{"stack":0,"time":1,"threadCPUDelta":2},"data":[[1,1,5000000],[1,2,2000000]]},
        "markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[[2,1,2,1,0]]},
        "stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1]]},
        "frameTable":{"schema":{"location":0},"data":[[0],[1]]},
        "stringTable":["outer","inner","mark"]}]}' >firefox.json
    expect 0 "$profctl" report firefox.json
    says '7.0 ms +100.0% +100.0% +2 +inner' stdout
    expect 0 "$profctl" convert firefox.json -o y.trace.json
    says '"name":"mark"' y.trace.json
    expect 0 "$profctl" convert firefox.json -o y.collapsed
    says 'outer;inner 7000$' y.collapsed
    expect 0 "$profctl" convert firefox.json -o y.html
    refused_with 1 'as Firefox writes them' convert firefox.json -o y.json
}

test_names_of_outputs_are_checked() {
    expect 0 "$profctl" run --no-symbols -o x.profd -- "$programs/busy" 0.1
    refused_with 2 'does not end in .json, .json.gz or .profd' run -o y.txt -- true
    refused_with 2 'choose another name with --trigger-output' run -o y.json --trigger exit --trigger-output y.json -- true
    refused_with 2 'name the JSON file to write with -o' symbolicate x.profd
    refused_with 2 'cannot write to standard output' convert x.profd -o - --format collapsed
    refused_with 2 'does not end in one of .*, .json; use --format' convert x.profd -o y.foo
}

test_files_of_other_formats_are_named() {
    expect 0 "$profctl" run --no-symbols -o x.profd -- "$programs/busy" 0.1
    expect 0 "$profctl" convert x.profd -o x.html
    expect 0 "$profctl" convert x.profd -o x.jslb
    refused_with 1 'a page; give the capture' report x.html
    refused_with 1 'a JsonSlabs file; give the capture' report x.jslb
    mkfifo pipe
    cat x.profd >pipe &
    refused_with 1 'a raw capture, through a pipe; write it to a regular file first' report pipe
}

# Small calls of a tree are left out, and that is told.
test_a_tree_tells_how_much_it_leaves_out() {
    awk 'BEGIN {
        printf "{\"meta\":{\"interval\":1},\"threads\":[{\"name\":\"t\",\"stringTable\":["
        for (i = 0; i < 1000; i++) printf "%s\"f%d\"", i ? "," : "", i
        printf "],\"frameTable\":{\"schema\":{\"location\":0},\"data\":["
        for (i = 0; i < 1000; i++) printf "%s[%d]", i ? "," : "", i
        printf "]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":["
        for (i = 0; i < 1000; i++) printf "%s[null,%d]", i ? "," : "", i
        printf "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":["
        for (i = 0; i < 1000; i++) printf "%s[%d,%d]", i ? "," : "", i, i
        printf "]}}]}" }' >flat.json
    expect 0 "$profctl" report --callers flat.json
    says '^1,000 calls of less than 0.5% each are omitted; --json has them' stdout
}

# Each function of a very deep stack that time was spent in has callers of its own.
test_callers_of_very_deep_stacks_are_cut() {
    awk 'BEGIN {
        count = 20000
        printf "{\"meta\":{\"interval\":1},\"threads\":[{\"name\":\"t\",\"stringTable\":["
        for (i = 0; i < count; i++) printf "%s\"f%d\"", i ? "," : "", i
        printf "],\"frameTable\":{\"schema\":{\"location\":0},\"data\":["
        for (i = 0; i < count; i++) printf "%s[%d]", i ? "," : "", i
        printf "]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":["
        for (i = 0; i < count; i++) printf "%s[%s,%d]", i ? "," : "", i ? i - 1 : "null", i
        printf "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":["
        for (i = 0; i < 100; i++) printf "%s[%d,%d]", i ? "," : "", count - 1 - i, i
        printf "]}}]}" }' >deep.json
    expect 0 "$profctl" report --json --callers deep.json
    says '"\(further callers\)"' stdout
    [ "$(grep -o '"name":' stdout | wc -l)" -le $((100 * 1002)) ]
    expect 0 "$profctl" report --json --tree deep.json
    refute grep -q 'further callers' stdout
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
