#!/bin/bash
# profctl convert: profiles in the formats of other tools.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# make_capture: ./capture.json.gz, of busy twice, each a process that was nothing else before.
make_capture() {
    made_once capture.json.gz \
        expect 0 "$profctl" run -o capture.json.gz --clock cpu -- "$programs/spawn" "$programs/busy" 1
}

# sampled_ms: what the report says was sampled, of all.
sampled_ms() {
    "$profctl" report --json capture.json.gz >report.json
    grep -o '"cpuMs":[0-9.]*,"notSampledMs":[0-9.]*' report.json | head -1 |
        tr -c '0-9.\n' ' ' | awk '{ print $1 - $2 }'
}

# is_near NUMBER OTHER: by no more than a hundredth, and a millisecond.
is_near() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a > b ? a - b : b - a; exit !(d <= b / 100 + 1) }' || fail "$1 is not near $2"
}

test_collapsed_stacks_have_all_the_time() {
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o out.collapsed
    refute grep -vE '^[^;]+(;[^;]+)+ [0-9]+$' out.collapsed
    is_near "$(awk '{ sum += $NF } END { print sum / 1000 }' out.collapsed)" "$(sampled_ms)"
    grep -qE '^busy \([0-9]+\);main thread;.*;main \(in busy\)' out.collapsed
    [ "$(grep -o '^busy ([0-9]*)' out.collapsed | sort -u | wc -l)" -eq 2 ]
}

test_speedscope_has_a_profile_for_each_thread() {
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o out.speedscope.json.gz
    gzip -dc out.speedscope.json.gz >out.json
    grep -q '"\$schema":"https://www.speedscope.app/file-format-schema.json"' out.json
    [ "$(grep -o '"type":"sampled","name":"busy ([0-9]*): main thread","unit":"nanoseconds"' out.json | wc -l)" -eq 2 ]
    sum=$(grep -o '"endValue":[0-9]*' out.json | cut -d: -f2 | awk '{ sum += $1 } END { print sum / 1e6 }')
    is_near "$sum" "$(sampled_ms)"
    grep -qE '\{"name":"main \(in busy\)","file":"[^"]*busy\.c"\}' out.json
}

# Of a thread that was busy all the time, main lasts as long as the thread did.
test_trace_events_have_the_calls_of_each_thread() {
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o out.trace.json
    [ "$(grep -o '"name":"process_name","args":{"name":"busy ([0-9]*)"}' out.trace.json | wc -l)" -eq 2 ]
    grep -oE '"name":"main \(in busy\)","ts":[0-9.]+,"dur":[0-9.]+' out.trace.json | sed 's/.*://' |
        awk '{ sum += $1 } END { exit !(sum > 1000 * 1000) }'
}

test_trace_events_have_markers_counters_and_flows() {
    expect 0 "$profctl" -q run -o capture.json --clock cpu -- bash -c '"$1" & "$2" 1000 & "$3"; wait' - \
        "$programs/labels" "$programs/counting" "$programs/markers"
    expect 0 "$profctl" convert capture.json -o out.trace.json
    sed 's/{"ph":/\n{"ph":/g' out.trace.json >events
    grep -q '"name":"thread_name","args":{"name":"main thread: markers"}' events
    expect 0 "$profctl" report --by marker --json --top 1000000 capture.json
    for name in interval 'with text' instant; do
        [ "$(grep -c "\"cat\":\"marker\",\"name\":\"$name\"" events)" -eq \
            "$(grep -oE "\"name\":\"$name\",\"markers\":[0-9]+" stdout | sed 's/.*://')" ]
    done
    grep -qE '"cat":"marker","name":"stack now",.*"args":\{"type":"request","url":"/stack","status":1,.*"flow":"[0-9a-f]+"\}' events
    expect 0 "$profctl" report --by counter --json capture.json
    sum=$(grep -oE '"name":"items","category":"Work".*' stdout | grep -oE '"sum":[0-9]+' | head -1 | sed 's/.*://')
    [ "$(grep '"ph":"C".*"cat":"Work","name":"items"' events | tail -1 | grep -oE '"value":[0-9]+' | sed 's/.*://')" = "$sum" ]
    # Through a forked process; each begins once and ends once, on the tracks of markers.
    grep -oE '"ph":"s".*"id":"[0-9a-f]+"' events | sed 's/.*"id"//' | sort >begun
    grep -oE '"ph":"f".*"id":"[0-9a-f]+"' events | sed 's/.*"id"//' | sort >ended
    [ -s begun ] && cmp begun ended
    [ "$(grep -E '"ph":"[stf]".*"id":"000000000000004d"' events | grep -oE '"pid":[0-9]+' | sort -u | wc -l)" -eq 2 ]
}

# samples_of FILE: how many samples its thread has; the ids that they name are those of nodes.
samples_of() {
    grep -o '"samples":\[[0-9,]*\]' "$1" | tr -cs '0-9' '\n' | grep . >sample_ids || true
    grep -o '{"id":[0-9]*' "$1" | cut -d: -f2 | sort >node_ids
    [ -z "$(sort -u sample_ids | comm -23 - node_ids)" ]
    [ "$(grep -o '"timeDeltas":\[[^]]*' "$1" | tr -cd , | wc -c)" -eq "$(($(wc -l <sample_ids) - 1))" ]
    wc -l <sample_ids
}

test_each_thread_has_a_cpuprofile() {
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o out.cpuprofile
    says 'one per thread' stderr
    [ ! -e out.cpuprofile ]
    [ "$(grep -l '"functionName":"main","scriptId":"[1-9][0-9]*","url":"[^"]*busy\.c"' out-*.cpuprofile | wc -l)" -eq 2 ]
    for file in out-*.cpuprofile; do
        [ "$(samples_of "$file")" -gt 0 ]
    done
}

test_one_thread_is_named() {
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o all.cpuprofile
    file=$(grep -l '"url":"[^"]*busy\.c"' all-*.cpuprofile | head -1)
    tid=${file##*-} tid=${tid%.cpuprofile}
    for thread in "$tid" "$tid-$tid" "busy ($tid): main thread"; do
        expect 0 "$profctl" convert capture.json.gz -o one.cpuprofile --thread "$thread"
        cmp one.cpuprofile "$file"
    done
    expect 0 "$profctl" convert capture.json.gz -o one.collapsed --thread "$tid"
    [ "$(cut -d';' -f1 one.collapsed | sort -u)" = "busy ($tid)" ]
    expect 1 "$profctl" convert capture.json.gz -o none.cpuprofile --thread 'main thread'
    says "use one of .*$tid-$tid \(busy \($tid\): main thread\)" stderr
    expect 1 "$profctl" convert capture.json.gz -o none.cpuprofile --thread nobody
    says "no thread with samples in .* matches .*$tid \(busy" stderr
    [ -z "$(find . -name 'none*')" ]
}

# By the tool that it is for, where that is installed.
test_callgrind_annotate_reads_it() {
    command -v callgrind_annotate >/dev/null || skip "there is no callgrind_annotate"
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o out.callgrind
    callgrind_annotate --inclusive=yes out.callgrind >annotated 2>annotated.err
    [ ! -s annotated.err ]
    grep -qE '[0-9,]+ .*busy\.c:main \(in busy\)' annotated
    grep -qE '^-- Auto-annotated source: .*burn\.h$|burn\.h' annotated
    total=$(sed -n 's/^summary: //p' out.callgrind)
    is_near "$((total / 1000000))" "$(sampled_ms)"
}

# By the tool that it is for, where that is installed.
test_pprof_reads_it() {
    command -v go >/dev/null || skip "there is no go"
    export HOME=$scratch PPROF_TMPDIR=$scratch
    make_capture
    expect 0 "$profctl" convert capture.json.gz -o out.pb.gz
    expect 0 go tool pprof -top -lines out.pb.gz
    grep -qE ' burn_inner .*burn\.h:[0-9]+$' stdout
    expect 0 go tool pprof -list '^burn_inner$' -source_path "$build/../.." out.pb.gz
    grep -qE '^ROUTINE =+ burn_inner in .*burn\.h$' stdout
    expect 0 go tool pprof -tags out.pb.gz
    grep -qE '\([ 0-9.]+%\): busy$' stdout
    for type in wall alloc_space; do
        expect 0 go tool pprof -top -sample_index=$type out.pb.gz
        grep -qx "Type: $type" stdout
    done
    expect 0 go tool pprof -raw out.pb.gz
    grep -qE '^[0-9]+: 0x[0-9a-f]+/0x[0-9a-f]+/0x[0-9a-f]+ .*/busy [0-9a-f]+ \[FN\]\[FL\]\[LN\]\[IN\]' stdout
}

test_the_longest_calls_are_told() {
    make_capture
    expect 0 "$profctl" report --calls --top 100 capture.json.gz
    grep -qE '^ +[0-9.]+ +[0-9.]+ +[0-9.]+  main \(in busy\), busy \([0-9]+\): main thread$' stdout
    grep -qE '^ +[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  main \(in busy\)$' stdout
    expect 0 "$profctl" report --calls --json --top 1 capture.json.gz
    grep -qE '^\{"file":"capture.json.gz","calls":[0-9]+,"longest":\[\{"function":' stdout
    expect 1 "$profctl" report --calls missing.json
    one_line stderr
}

test_a_format_can_be_named() {
    make_capture
    expect 0 "$profctl" convert --format collapsed -o stacks.txt capture.json.gz
    grep -q ';main (in busy)' stacks.txt
}

# The only copy of a capture is not replaced by what is made of it.
test_the_input_stays_as_it_is() {
    make_capture
    cp capture.json.gz kept
    ln capture.json.gz other.html
    expect 2 "$profctl" convert capture.json.gz --format html -o capture.json.gz
    grep -q 'is an input file' stderr
    expect 2 "$profctl" convert capture.json.gz -o other.html
    cmp capture.json.gz kept
}

# Control characters of ASCII and of C1, and those that turn the direction of writing.
test_reports_keep_terminals_safe() {
    make_capture
    gzip -dc capture.json.gz | sed $'s/"burn_inner (in busy)"/"\\\\u001b[31m\\\\u009b31m\\\\u202eburn\\\\n (in busy)"/g; s/"processName":"busy"/"processName":"\\\\u001b[2Jbusy"/g' >evil.json
    grep -q 'u001b.*u009b.*u202eburn.n' evil.json
    for way in "" --tree --callers --calls --processes; do
        # shellcheck disable=SC2086
        expect 0 "$profctl" report $way evil.json
        grep -q 'busy' stdout
        refute grep -qaP '\x1b|\xc2\x9b|\xe2\x80\xae' stdout
    done
}

test_wrong_words_are_refused() {
    for wrong in "missing.json -o x.collapsed" "capture -o x.pdf" "capture" "capture -o x --format pdf"; do
        # shellcheck disable=SC2086
        expect_failure "$profctl" convert $wrong
        one_line stderr
    done
    [ -z "$(find . -name 'x*')" ]
}

expect_failure() {
    "$@" >stdout 2>stderr && fail "this works: $*"
    return 0
}

# A container for the viewer, which nothing here reads; tests/system/test_viewer.sh loads it.
test_slabs_are_not_read_back() {
    make_capture
    for ending in jslb jslb.gz; do
        expect 0 "$profctl" convert capture.json.gz -o "out.$ending"
        expect 1 "$profctl" report "out.$ending"
        one_line stderr
        says "cannot read out.$ending, a JsonSlabs file; give the capture" stderr
    done
    gzip -t out.jslb.gz
    cmp <(gzip -dc out.jslb.gz) out.jslb
    expect 1 "$profctl" report - <out.jslb
    one_line stderr
}

# What is there already stays when there is nothing better.
test_broken_profiles_leave_no_file() {
    make_capture
    gzip -dc capture.json.gz | head -c 5000 >cut.json
    echo '{"meta":{},"threads":[{"name":"x","stringTable":[],"frameTable":7}]}' >wrong.json
    echo kept >out.collapsed
    for broken in cut wrong; do
        expect 1 "$profctl" convert $broken.json -o out.collapsed
        one_line stderr
        [ "$(cat out.collapsed)" = kept ]
    done
}

# deep_thread TID DEPTH: a thread with one sample, below as many functions.
deep_thread() {
    awk -v tid="$1" -v depth="$2" 'BEGIN {
        printf "{\"name\":\"t\",\"processName\":\"p\",\"pid\":7,\"tid\":%d,\"stringTable\":[\"f\"", tid
        printf "],\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]"
        for (i = 0; i < depth - 1; i++) printf ",[%d,0]", i
        printf "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[%d,1]]}}", depth - 1 }'
}

# A set that ends where the disk was full would look like a whole one.
test_of_a_set_that_finds_no_room_nothing_stays() {
    echo "{\"meta\":{\"interval\":1},\"threads\":[$(deep_thread 1 3),$(deep_thread 2 10000)]}" >two.json
    expect 0 "$profctl" convert two.json -o all.cpuprofile
    [ -e all-7-1.cpuprofile ] && [ -e all-7-2.cpuprofile ]
    (ulimit -f 64 && expect 1 "$profctl" convert two.json -o some.cpuprofile)
    one_line stderr
    says 'cannot write some-7-2.cpuprofile: File too large' stderr
    [ -z "$(find . -name 'some*')" ]
}

test_stacks_of_a_hundred_thousand_frames_are_converted() {
    awk 'BEGIN {
        printf "{\"meta\":{\"interval\":1},\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"deep\",\"pid\":7,\"tid\":7,"
        printf "\"stringTable\":[\"f;\\n\"],"
        printf "\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":[[null,0]"
        for (i = 0; i < 99999; i++) printf ",[%d,0]", i
        printf "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":[[99999,1],[99999,2]]}}]}" }' >deep.json
    for ending in collapsed speedscope.json trace.json cpuprofile; do
        expect 0 "$profctl" convert deep.json -o out.$ending
    done
    [ "$(tr -cd ';' <out.collapsed | wc -c)" -eq 100001 ]
    grep -q 'deep (7);main thread;f: ;f: ;' out.collapsed
    grep -q ' 2$' out.collapsed
}

run_tests "$@"
