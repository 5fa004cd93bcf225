#!/bin/bash
# profctl report --processes: how long processes lived, by their programs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# slowest_commands PROGRAM N: of its processes in a report in JSON, by what that tells of the time on the wall.
slowest_commands() {
    tr '{' '\n' <stdout | sed -n "/\"program\":\"$1\"/,/\"program\":/p" |
        sed -nE 's/.*"command":"([^"]*)".*"wallMs":([0-9.]+).*/\2 \1/p' | sort -rn | cut -d' ' -f2- | head -n "$2"
}

test_the_slowest_of_each_program_come_first() {
    expect 0 "$profctl" -q run -o out.json --clock cpu -- bash -c \
        '"$1" 0.1; "$1" 0.4; "$1" 0.2; sh -c "kill -9 \$\$"; sh -c "exit 7"; true' - "$programs/busy"
    expect 0 "$profctl" report --processes --json out.json
    slowest_commands busy 2 | sed 's/.*busy /busy /' >expected
    [ "$(wc -l <expected)" -eq 2 ]
    expect 0 "$profctl" report --processes --top 2 out.json
    grep -qE '^ +3 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  busy$' stdout
    grep -A2 ' busy$' stdout | sed 1d | grep -oE 'busy [0-9.]+$' | cmp - expected
    grep -A3 ' busy$' stdout | tail -1 | grep -qE '^ +and 1 more$'
    grep -qE ' sh -c kill -9 \$\$  \(killed 9\)$' stdout
    grep -qE ' sh -c exit 7  \((exited|failed) 7\)$' stdout
}

# The sum of a program is what its processes used, each once.
test_sums_are_those_of_the_processes() {
    expect 0 "$profctl" -q run -o out.json --clock cpu -- bash -c '"$1" 0.2; "$1" 0.3' - "$programs/busy"
    expect 0 "$profctl" report --processes --json out.json
    tr '{' '\n' <stdout | sed -n '/"program":"busy"/,/"program":/p' >busy
    sum=$(grep -oE '"wallMs":[0-9.]+,"cpuMs":[0-9.]+' busy | sed 's/.*://' | awk '{ sum += $1 } END { print sum }')
    all=$(grep -oE '"program":"busy","processes":2,"ended":2,"cpuMs":[0-9.]+' busy | sed 's/.*://')
    awk -v a="$sum" -v b="$all" 'BEGIN { exit !(a > 450 && a - b < 0.01 && b - a < 0.01) }'
}

# A profile whose root is a process, as Firefox writes them, with a child without threads.
test_the_root_may_be_a_process() {
    log='"profilingLog":{"%d":{"profd":{"pid":%d,"verdict":"exited","outcome":"exited","code":0,"cpuTime":%d,"startTime":0,"endTime":%d}}}'
    # shellcheck disable=SC2059
    printf '{"meta":{"version":30,"startTime":0,"interval":1},"libs":[],"threads":[{"name":"GeckoMain","processName":"parent","pid":1,"tid":1,
"stringTable":["f"],"frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},
"samples":{"schema":{"stack":0,"time":1},"data":[[0,1]]}}],
"processes":[{"meta":{"version":30,"startTime":0,"interval":1},"libs":[],"threads":[],'"$log"'}],'"$log"'}' 2 2 5 10 1 1 50 100 >root.json
    expect 0 "$profctl" report --processes --json root.json
    grep -q '"processes":1,"programs":\[{"program":"parent","processes":1,"ended":1,"cpuMs":50,' stdout
}

test_unknown_times_are_not_zero() {
    printf '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},{"id":2,"callFrame":{"functionName":"f"}}],"startTime":0,"endTime":9,"samples":[2,2],"timeDeltas":[1,1]}' >x.cpuprofile
    expect 0 "$profctl" report --processes --json x.cpuprofile
    refute grep -q '"cpuMs":0' stdout
}

test_bad_files_are_told() {
    expect 1 "$profctl" report --processes missing.json
    one_line stderr
    expect 2 "$profctl" report --processes --tree missing.json
    one_line stderr
}

run_tests "$@"
