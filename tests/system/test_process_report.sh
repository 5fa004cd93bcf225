#!/bin/bash
# profctl report --processes: how long processes lived, by their programs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_the_slowest_of_each_program_come_first() {
    expect 0 "$profctl" -q run -o out.json --clock cpu -- bash -c \
        '"$1" 0.1; "$1" 0.4; "$1" 0.2; sh -c "kill -9 \$\$"; sh -c "exit 7"; true' - "$programs/busy"
    expect 0 "$profctl" report --processes --top 2 out.json
    grep -qE '^ +3 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+  busy$' stdout
    grep -A2 ' busy$' stdout | sed 1d | grep -oE 'busy [0-9.]+$' >slowest
    printf 'busy 0.4\nbusy 0.2\n' | cmp - slowest
    grep -A3 ' busy$' stdout | tail -1 | grep -qE '^ +and 1 more$'
    grep -qE ' sh  \(killed 9\)$' stdout
    grep -qE ' sh  \((exited|failed) 7\)$' stdout
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

test_bad_files_are_told() {
    expect 1 "$profctl" report --processes missing.json
    one_line stderr
    expect 2 "$profctl" report --processes --tree missing.json
    one_line stderr
}

run_tests "$@"
