#!/bin/bash
# profctl report --tree and --callers: who called whom.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

make_capture() {
    expect 0 "$profctl" run -o capture.json.gz --clock cpu -- bash -c '"$1" 1 & "$1" 1; wait' - "$programs/busy"
}

# share_of FUNCTION: in percent of all, as the table has it.
share_of() {
    awk -v name="$1" '$0 ~ name { print $2; exit }' stdout
}

# Two processes of one name count together.
test_the_tree_leads_from_programs_to_functions() {
    make_capture
    expect 0 "$profctl" report --tree capture.json.gz
    [ "$(awk '$NF == "busy"' stdout | wc -l)" -eq 1 ]
    [ "$(share_of 'burn_inner \(in busy\)' | cut -d. -f1)" -ge 80 ]
    awk '$NF == "busy" || /main thread$/ || /main \(in busy\)/ || /burn_outer/ || /burn_inner/ { print NR }' stdout >lines
    sort -nc lines
    expect 0 "$profctl" report --tree --json capture.json.gz
    grep -q '^{"file":"capture.json.gz","direction":"callees","samples":' stdout
    grep -oE '"name":"busy","parent":null,"self":0,"selfMs":0,"total":[0-9]+' stdout
}

test_callers_begin_where_the_time_was_spent() {
    make_capture
    expect 0 "$profctl" report --callers --top 1 capture.json.gz
    sed -n 4p stdout | grep -qE ' burn_inner \(in busy\)$'
    sed -n 5p stdout | grep -qE ' burn_outer \(in busy\)$'
    [ "$(share_of 'burn_inner \(in busy\)')" = "$(sed -n 4p stdout | awk '{ print $2 }')" ]
}

test_recursion_is_folded_when_asked_for() {
    cat >deep.json <<'JSON'
{"meta":{"version":30,"startTime":0,"interval":1,"sampleUnits":{"threadCPUDelta":"ns"}},"libs":[],
"threads":[{"name":"GeckoMain","processName":"deep","pid":5,"tid":5,
"stringTable":["main","again","leaf"],
"frameTable":{"schema":{"location":0},"data":[[0],[1],[2]]},
"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,1],[2,1],[3,2]]},
"samples":{"schema":{"stack":0,"time":1,"threadCPUDelta":2},"data":[[4,1,1000000],[4,2,1000000]]}}]}
JSON
    expect 0 "$profctl" report --tree deep.json
    [ "$(grep -c again stdout)" -eq 3 ]
    expect 0 "$profctl" report --tree --fold-recursion deep.json
    [ "$(grep -c again stdout)" -eq 1 ]
    grep -qE '^ +2.0 +100.0 +2.0 +100.0 +leaf$' stdout
}

test_wrong_words_are_refused() {
    for words in "--tree --callers" "--calls --tree" "--fold-recursion" "--fold-recursion --calls"; do
        # shellcheck disable=SC2086
        expect 2 "$profctl" report $words missing.json
        one_line stderr
    done
    expect 1 "$profctl" report --tree missing.json
    one_line stderr
}

run_tests "$@"
