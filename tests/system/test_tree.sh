#!/bin/bash
# profctl report --tree and --callers: who called whom.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

make_capture() {
    made_once capture.json.gz \
        expect 0 "$profctl" run -o capture.json.gz --clock cpu -- bash -c '"$1" 0.4 & "$1" 0.4; wait' - "$programs/busy"
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
    [ "$(share_of 'burn_inner [(]in busy[)]' | cut -d. -f1)" -ge 80 ]
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
    [ "$(share_of 'burn_inner [(]in busy[)]')" = "$(sed -n 4p stdout | awk '{ print $2 }')" ]
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

# Dormant processes and what no sample saw are in it; profd is not.
test_the_tree_has_the_cpu_time_that_the_report_has() {
    expect 0 "$profctl" -q run -o out.json --clock cpu -- bash -c 'for i in 1 2 3 4 5 6; do ls >/dev/null; done; "$1" 0.3' - "$programs/busy"
    all=$("$profctl" report --json out.json | grep -o '"cpuMs":[0-9.]*' | head -1 | cut -d: -f2)
    for way in --tree --callers; do
        expect 0 "$profctl" report $way --json out.json
        sum=$(grep -o '"cpuMs":[0-9.]*' stdout | cut -d: -f2)
        awk -v a="$all" -v b="$sum" 'BEGIN { d = a - b; exit !(a > 300 && d < 0.1 && d > -0.1) }' || fail "$sum of $all"
        refute grep -q '"name":"profd"' stdout
    done
}

# one_thread NAME FUNCTION…: a profile of a thread with that stack, from the outermost on.
one_thread() {
    local names frames stacks i=0
    for function in "${@:2}"; do
        names+=${names:+,}'"'$function'"' frames+=${frames:+,}"[$i]"
        stacks+=${stacks:+,}"[$([ $i -eq 0 ] && echo null || echo $((i - 1))),$i]"
        i=$((i + 1))
    done
    printf '{"meta":{"version":30,"startTime":0,"interval":1,"sampleUnits":{"threadCPUDelta":"ns"}},"libs":[],
"threads":[{"name":"%s","processName":"p","pid":5,"tid":5,"stringTable":[%s],
"frameTable":{"schema":{"location":0},"data":[%s]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[%s]},
"samples":{"schema":{"stack":0,"time":1,"threadCPUDelta":2},"data":[[%d,1,1000000]]}}]}' \
        "$1" "$names" "$frames" "$stacks" $((i - 1))
}

test_a_thread_is_no_recursion_of_its_function() {
    one_thread worker worker worker leaf >same.json
    expect 0 "$profctl" report --tree --fold-recursion same.json
    [ "$(grep -c ' worker$' stdout)" -eq 2 ]
}

test_wrong_words_are_refused() {
    for words in "--tree --callers" "--calls --tree" "--fold-recursion" "--fold-recursion --calls" "--all --tree"; do
        # shellcheck disable=SC2086
        expect 2 "$profctl" report $words missing.json
        one_line stderr
    done
    expect 1 "$profctl" report --tree missing.json
    one_line stderr
}

run_tests "$@"
