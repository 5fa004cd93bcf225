#!/bin/bash
# profctl merge: captures of several machines or runs on one time line.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

now_ms() {
    date +%s%3N
}

# make_captures: of one.json.gz and two.json.gz; when each ran is in $one_began, $one_ended and so on.
make_captures() {
    one_began=$(now_ms)
    expect 0 "$profctl" run -o one.json.gz --clock cpu -- "$programs/busy" 0.4
    one_ended=$(now_ms)
    two_began=$(now_ms)
    expect 0 "$profctl" run -o two.json.gz --clock cpu -- bash -c '"$1" 0.3; "$1" 0.2' - "$programs/busy"
    two_ended=$(now_ms)
}

# cpu_ms CAPTURE: of all processes, as its report says.
cpu_ms() {
    "$profctl" report --json "$1" >report.json
    grep -o '"cpuMs":[0-9.]*' report.json | head -1 | cut -d: -f2
}

# times_of PROCESS: first and last sample of each of its main threads with samples, on the wall clock.
times_of() {
    local start
    start=$(gzip -cdf merged.json.gz | head -c 1000 | grep -o '"startTime":[0-9.]*' | head -1 | cut -d: -f2)
    awk -F'\t' -v process="$1" -v start="$start" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "thread" && ($2 in pids) && $4 > 2 { printf "%.3f %.3f\n", start + $5, start + $6 }' facts
}

# are_within BEGIN END: each number of standard input, of which there is at least one.
are_within() {
    awk -v low="$1" -v high="$2" '
        { for (i = 1; i <= NF; i++) { count++; if ($i < low - 1 || $i > high + 1) bad = 1 } }
        END { exit !(count > 0 && !bad) }' || fail "not from $1 to $2"
}

test_samples_stand_at_their_wall_times() {
    make_captures
    expect 0 "$profctl" merge one.json.gz two.json.gz -o merged.json.gz
    says 'wrote merged.json.gz' stderr
    read_facts merged.json.gz
    times_of "one: busy" | are_within "$one_began" "$one_ended"
    times_of "two: busy" | are_within "$two_began" "$two_ended"
    [ "$(times_of "two: busy" | wc -l)" -eq 2 ]
}

test_clocks_are_corrected() {
    make_captures
    expect 0 "$profctl" merge one.json.gz two.json.gz -o merged.json.gz --offset two:+1m,1:-250ms
    read_facts merged.json.gz
    times_of "one: busy" | are_within $((one_began - 250)) $((one_ended - 250))
    times_of "two: busy" | are_within $((two_began + 60000)) $((two_ended + 60000))
    # Our own reader sees the same: the first call of two begins after all of one's.
    expect 0 "$profctl" report --calls --top 1000 merged.json.gz
    awk -v gap=$((two_began - one_began + 60250)) '
        / main \(in busy\), two: busy/ { calls++; if ($3 < gap - 500) bad = 1 }
        END { exit !(calls >= 2 && !bad) }' stdout
}

test_report_has_all_processes_and_their_cpu_time() {
    make_captures
    expect 0 "$profctl" merge one.json.gz two.json.gz -o merged.json.gz --host north,south
    awk -v a="$(cpu_ms one.json.gz)" -v b="$(cpu_ms two.json.gz)" -v sum="$(cpu_ms merged.json.gz)" \
        'BEGIN { d = a + b - sum; exit !(a > 300 && b > 300 && d < 0.01 && d > -0.01) }'
    expect 0 "$profctl" report merged.json.gz
    says '^north: busy: ' stdout
    says '^south: busy \(2 processes\): ' stdout
    refute grep -E '^[a-z]+: profd' stdout
    [ "$(process_names | grep -c ': profd$')" -eq 2 ]
}

process_names() {
    read_facts merged.json.gz
    awk -F'\t' '$1 == "process" { print $3 }' facts
}

# As on machines whose processes have the same ids.
test_processes_with_one_id_are_kept_apart() {
    make_captures
    cp two.json.gz same.json.gz
    expect 0 "$profctl" merge two.json.gz same.json.gz -o merged.json.gz
    read_facts merged.json.gz
    awk -F'\t' '$1 == "process" { count++; if (seen[$2]++) bad = 1 } END { exit !(count >= 6 && !bad) }' facts
    awk -v a="$(cpu_ms two.json.gz)" -v sum="$(cpu_ms merged.json.gz)" \
        'BEGIN { d = 2 * a - sum; exit !(a > 300 && d < 0.01 && d > -0.01) }'
    expect 0 "$profctl" convert merged.json.gz -o out.trace.json
    [ "$(grep -o '"name":"process_name","args":{"name":"[a-z]*: busy' out.trace.json | wc -l)" -eq 4 ]
}

# facts_without_ids CAPTURE: categories of frames and markers, and what markers say.
facts_without_ids() {
    read_facts "$1"
    awk -F'\t' '$1 ~ /^(frame|marked|value|caller)$/ { $2 = ""; print }' facts
}

# Categories of programs that do not know each other, whose numbers are others in each file.
test_own_categories_and_markers_stay_right() {
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    expect 0 c++ -std=c++11 -O1 -I"$source_dir/child-agent/include" -I"$source_dir" \
        "$source_dir/tests/system/programs/other_categories.cpp" -o other_categories \
        -L"$build/lib" "-Wl,-rpath,$build/lib" -lprofd
    expect 0 "$profctl" run -o one.json.gz -- "$programs/categories"
    expect 0 "$profctl" run -o two.json.gz -- ./other_categories "$programs/categories"
    expect 0 "$profctl" run -o three.json.gz -- "$programs/markers"
    for file in one two three; do
        facts_without_ids $file.json.gz
    done | sort >before
    expect 0 "$profctl" merge one.json.gz two.json.gz three.json.gz -o merged.json.gz
    facts_without_ids merged.json.gz | sort >after
    [ "$(grep -c marked before)" -gt 20 ]
    cmp before after
}

test_programs_that_wrote_their_own_profile_are_merged() {
    for file in one two; do
        LD_PRELOAD=$build/lib/libprofd.so PROFD_STARTUP=1 PROFD_SHUTDOWN=$file.json "$programs/busy" 0.2
        [ -s $file.json ]
    done
    expect 0 "$profctl" merge one.json two.json -o merged.json.gz
    expect 0 "$profctl" report merged.json.gz
    says '^one: busy: ' stdout
    says '^two: busy: ' stdout
}

# What was merged is a capture like others.
test_merged_files_can_be_merged_again() {
    make_captures
    expect 0 "$profctl" merge one.json.gz two.json.gz -o first.json.gz
    expect 0 "$profctl" merge first.json.gz one.json.gz -o merged.json.gz
    expect 0 "$profctl" report merged.json.gz
    says '^first: one: busy: ' stdout
    says '^first: two: busy \(2 processes\): ' stdout
    says '^one: busy: ' stdout
    expect 0 "$profctl" symbolicate merged.json.gz -o again.json.gz
}

# 40 MB with 16 MB of memory.
test_captures_may_be_larger_than_memory() {
    [[ "$build" != *address* && "$build" != *thread* ]] || skip "sanitizers need more memory"
    awk 'BEGIN {
        printf "{\"meta\":{\"version\":36,\"startTime\":1700000000000,\"interval\":1,\"categories\":[],\"markerSchema\":[]},\"libs\":[],\"threads\":[],\"processes\":["
        printf "{\"meta\":{\"version\":36,\"startTime\":1700000000000},\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"large\",\"pid\":7,\"tid\":7,"
        printf "\"stringTable\":[\"f\"],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
        printf "\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},"
        printf "\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[0,0.000000]"
        for (i = 1; i < 2500000; i++) printf ",[0,%.6f]", i
        printf "]}}],\"processes\":[]}]}" }' >large.json
    [ "$(stat -c %s large.json)" -gt 40000000 ]
    (ulimit -d 16384 && "$profctl" merge -q large.json large.json -o merged.json)
    [ "$(stat -c %s merged.json)" -gt 80000000 ]
}

# refused STATUS TEXT WORD…: with one line, and OUT stays what it was.
refused() {
    local status=$1 text=$2
    shift 2
    echo kept >out.json
    expect "$status" "$profctl" merge "$@"
    one_line stderr
    says "$text" stderr
    [ "$(cat out.json)" = kept ]
}

# minimal PID START: a profile of a root and a child, whose own meta tells no start, and whose pid is a text.
minimal() {
    printf '{"meta":{"version":30,"startTime":%s,"interval":1,"categories":[],"markerSchema":[]},"libs":[],"threads":[],
"processes":[{"meta":{"version":30,"interval":1,"categories":[],"markerSchema":[]},"libs":[],
"threads":[{"name":"GeckoMain","processName":"child","pid":"%s","tid":1,"stringTable":[],"registerTime":0,"unregisterTime":null,
"frameTable":{"schema":{"location":0,"file":1},"data":[]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[]},
"samples":{"schema":{"stack":0,"time":1},"data":[[null,1]]},"markers":{"schema":{"name":0,"startTime":1,"endTime":2,"phase":3,"category":4,"data":5},"data":[]}}]}]}' "$2" "$1"
}

test_a_process_without_a_start_begins_with_its_root() {
    minimal 20 1000000000000 >one.json
    minimal 20 1000000010000 >two.json
    expect 0 "$profctl" -q merge -o all.json one.json two.json
    [ "$(grep -o '"startTime":1000000010000' all.json | wc -l)" -eq 2 ]
    grep -q '"pid":"10000020"' all.json
}

test_times_that_no_clock_shows_are_refused() {
    minimal 20 1000000000000 >one.json
    minimal 21 1e300 >two.json
    expect 1 "$profctl" merge -o all.json one.json two.json
    [ ! -e all.json ]
    one_line stderr
}

test_wrong_words_are_refused() {
    expect 0 "$profctl" run -o one.json.gz -- true
    cp one.json.gz two.json.gz
    refused 2 'missing operand' one.json.gz -o out.json
    refused 2 'missing operand' -o out.json
    refused 2 'no output' one.json.gz two.json.gz
    refused 2 '.json or .json.gz' one.json.gz two.json.gz -o out.pdf
    refused 2 'is an input' one.json.gz two.json.gz -o ./one.json.gz
    ln one.json.gz other.json.gz
    refused 2 'is an input' one.json.gz two.json.gz -o other.json.gz
    refused 2 '1 name for 2 captures' one.json.gz two.json.gz -o out.json --host north
    refused 2 "'three' is neither" one.json.gz two.json.gz -o out.json --offset three:1s
    refused 2 'web2:-250ms' one.json.gz two.json.gz -o out.json --offset two:soon
    refused 1 'missing.json: No such file' one.json.gz missing.json -o out.json
    mkfifo pipe.json
    refused 2 'regular file' one.json.gz pipe.json -o out.json
    refused 1 'Is a directory' one.json.gz . -o out.json
    cmp one.json.gz two.json.gz
}

test_broken_captures_leave_no_file() {
    expect 0 "$profctl" run -o one.json.gz -- true
    gzip -dc one.json.gz | head -c 2000 >cut.json
    head -c 1000 one.json.gz >cut.json.gz
    echo '{"traceEvents":[]}' >other.json
    echo 'not JSON' >text.json
    : >empty.json
    gzip -dc one.json.gz | sed 's/"version":36/"version":35/g' >older.json
    refused 1 'cut.json cannot be read as a profile' one.json.gz cut.json -o out.json
    refused 1 'cut.json.gz: the file is damaged or cut short' one.json.gz cut.json.gz -o out.json
    refused 1 'other.json cannot be read as a profile: neither "threads" nor "processes"' other.json one.json.gz -o out.json
    refused 1 'text.json cannot be read as a profile' one.json.gz text.json -o out.json
    refused 1 'empty.json' one.json.gz empty.json -o out.json
    refused 1 'version 36 .* 35' one.json.gz older.json -o out.json
}

# with_tables STRINGS FRAMES STACKS SAMPLES MARKERS: a profile of one process.
with_tables() {
    local categories='"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}]'
    minimal 20 1000000000000 | tr -d '\n' | sed 's/"categories":\[\]/'"$categories"'/g
        s/"stringTable":\[\]/"stringTable":['"$1"']/
        s/{"location":0,"file":1},"data":\[\]/{"location":0,"file":1},"data":['"$2"']/
        s/{"prefix":0,"frame":1},"data":\[\]/{"prefix":0,"frame":1},"data":['"$3"']/
        s/\[\[null,1\]\]/['"$4"']/
        s/"data":5},"data":\[\]/"data":5},"data":['"$5"']/'
}

# Readers of the merged capture would refuse it.
test_tables_that_name_what_is_not_there_are_refused() {
    minimal 21 1000000000000 >one.json
    with_tables '"f"' '[0],[0,"f.c"]' '[null,0],[0,1]' '[1,1],[null,2]' \
        '[0,1,null,0,0],[0,1,2,1,0],[0,1,null,2,0],[0,null,2,3,0]' >two.json
    expect 0 "$profctl" -q convert two.json -o two.trace.json
    expect 0 "$profctl" -q merge one.json two.json -o all.json
    while IFS='|' read -r strings frames stacks samples markers reason; do
        with_tables "$strings" "$frames" "$stacks" "$samples" "$markers" >bad.json
        expect 1 "$profctl" -q convert bad.json -o bad.trace.json
        refused 1 "bad.json cannot be read as a profile.*$reason" one.json bad.json -o out.json
    done <<'END'
"f"|[1]|[null,0]|[0,1]||string 1, but have 1
"f"|[0]|[null,3]|[0,1]||frame 3, but have 1
"f"|[0]|[null,0],[1,0]|[0,1]||stack 1 continues stack 1, which is not before it
"f"|[0]|[null,0]|[7,1]||stack 7, but have 1
"f"|[0]|[null,0]|["x",1]||"stack" of a table is not a number
"f"|[0]|[null,0]|[0,1]|[1,1,null,0,0]|string 1, but have 1
"f"|[0,5]|[null,0]|[0,1]||string 5, but have 1
"f"|[0,-1]|[null,0]|[0,1]||"file" of a table is not a number
"f"|[null,0]|[null,0]|[0,1]||row 0 of a table has no "location"
"f"|[0]|[null,0],[0]|[0,1]||row 1 of a table has no "frame"
"f"|[0]|[null,0]|[0,1]|[0,1,null,0,0],[null,1,null,0,0]|row 1 of a table has no "name"
"f"|[0]|[null,0]|[0,1]|[0,1,null,0,null]|marker 0 has no category, or no phase
"f"|[0]|[null,0]|[0,1]|[0,1,null,4,0]|marker 0 has no category, or no phase
"f"|[0]|[null,0]|[0,1]|[0,1,null,null,0]|marker 0 has no category, or no phase
"f"|[0]|[null,0]|[0,1]|[0,null,1,0,0]|marker 0 lacks a time of its phase 0
"f"|[0]|[null,0]|[0,1]|[0,1,null,1,0]|marker 0 lacks a time of its phase 1
"f"|[0]|[null,0]|[0,1]|[0,null,1,2,0]|marker 0 lacks a time of its phase 2
"f"|[0]|[null,0]|[0,1]|[0,1,null,3,0]|marker 0 lacks a time of its phase 3
END
}

# with_counter SAMPLES: a profile of one process that has a counter.
with_counter() {
    minimal 20 1000000000000 | tr -d '\n' | sed 's/"threads":/"counters":[{"name":"c","samples":{"schema":{"time":0,"count":1},"data":['"$1"']}}],"threads":/'
}

test_samples_of_counters_without_a_time_are_refused() {
    minimal 21 1000000000000 >one.json
    with_counter '[1,5],[2.5,null]' >two.json
    expect 0 "$profctl" -q merge one.json two.json -o all.json
    for samples in '[null,5]' '[1,5],["x",5]' '[1,5],[]'; do
        with_counter "$samples" >bad.json
        expect 1 "$profctl" -q convert bad.json -o bad.trace.json
        refused 1 'bad.json cannot be read as a profile.*row [01] of a table has no "time"' one.json bad.json -o out.json
    done
}

run_tests "$@"
