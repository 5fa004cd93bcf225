#!/bin/bash
# profctl report --by: flat tables; and what a report looks like on a terminal.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

make_capture() {
    expect 0 "$profctl" -q run -o out.json --clock cpu -- bash -c \
        '"$1" 0.3 & "$2" & "$3" 1000 & wait' - "$programs/busy" "$programs/labels" "$programs/counting"
}

# on_terminal COLUMNS COMMAND…: runs it on a terminal, with what that got in ./stdout.
on_terminal() {
    TERM=xterm script -qec "stty cols $1 rows 24; $2" typescript >stdout </dev/null
}

test_tables_have_all_the_time() {
    make_capture
    "$profctl" report --json out.json | grep -oE '"cpuMs":[0-9.]+' | head -1 | cut -d: -f2 >wanted
    for by in function line label thread process program; do
        expect 0 "$profctl" report --by $by --json --top 1000000 out.json
        grep -q "^{\"file\":\"out.json\",\"by\":\"$by\",\"orderedBy\":\"cpuMs\"" stdout
        grep -oE '"selfMs":[0-9.]+' stdout | cut -d: -f2 |
            awk -v wanted="$(cat wanted)" '{ sum += $1 } END { d = sum - wanted; exit !(d < 0.1 && d > -0.1) }'
    done
}

test_each_kind_has_its_lines() {
    make_capture
    expect 0 "$profctl" report --by function out.json
    grep -qE '^ +[0-9.]+ +[0-9.]+% +[0-9.]+ +[0-9.]+% +[0-9]+  burn_inner \(in busy\)$' stdout
    expect 0 "$profctl" report --by line out.json
    grep -qE '  burn_inner \(in busy\) at .*burn\.h:[0-9]+$' stdout
    expect 0 "$profctl" report --by label out.json
    grep -qE '  (inner|outer) label$' stdout
    expect 0 "$profctl" report --by thread out.json
    grep -qE '  busy \([0-9]+\): main thread$' stdout
    expect 0 "$profctl" report --by process out.json
    grep -qE '  labelled \([0-9]+\)$' stdout
    expect 0 "$profctl" report --by program out.json
    grep -qE ' 1  busy$' stdout
    expect 0 "$profctl" report --by marker --json --top 100 out.json
    grep -q '{"name":"interval","markers":1,"instants":0,"totalMs":' stdout
    expect 0 "$profctl" report --by counter --json out.json
    grep -qE '\{"name":"items","category":"Work","processes":1,' stdout
}

test_a_terminal_has_colours_and_a_width() {
    make_capture
    on_terminal 64 "$profctl report --no-pager --by function --top 100 out.json"
    grep -q $'\e\\[31m[0-9.]*%' stdout
    sed $'s/\e\\[[0-9]*m//g' stdout | tr -d '\r' | awk '{ n = length($0); if (n > 64 + 2 * gsub(/…/, "")) exit 1 }'
    grep -q '…' stdout
    NO_COLOR=1 on_terminal 64 "$profctl report --no-pager --by function out.json"
    grep -q burn stdout
    refute grep -q $'\e' stdout
    expect 0 "$profctl" report --by function out.json
    refute grep -qE $'\e|…' stdout
}

test_a_pager_shows_it_on_a_terminal() {
    make_capture
    PAGER='sed s/^/page:/' on_terminal 80 "$profctl report out.json"
    refute grep -qv '^page:' stdout
    PAGER='sed s/^/page:/' on_terminal 80 "$profctl report --json out.json"
    refute grep -q '^page:' stdout
    PAGER='sed s/^/page:/' on_terminal 80 "$profctl report --no-pager out.json"
    refute grep -q '^page:' stdout
    PAGER='head -n 1' on_terminal 80 "$profctl report --tree out.json; echo status=\$?"
    grep -q 'status=0' stdout
    PAGER='sed s/^/page:/' expect 0 "$profctl" report out.json
    refute grep -q '^page:' stdout
}

test_wrong_words_are_refused() {
    expect 2 "$profctl" report --by colour missing.json
    one_line stderr
    says 'function, line, label' stderr
    expect 2 "$profctl" report --by line --tree missing.json
    one_line stderr
}

run_tests "$@"
