#!/bin/bash
# Times of different processes are on one line.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_turns_of_two_processes_do_not_overlap() {
    expect 0 "$profctl" run -o out.json -- "$programs/relay"
    read_facts out.json
    grep -P '^marker\t[^\t]*\t[^\t]*\tturn\t' facts | sort -t'	' -k5,5n >turns
    [ "$(wc -l <turns)" -eq 40 ]
    awk -F'\t' '
        $5 < end - 0.02 { print "overlaps by " end - $5 " ms: " $0; bad = 1 }
        $2 == pid { print "twice in a row: " $0; bad = 1 }
        { end = $6; pid = $2 }
        END { exit bad }' turns
}

test_samples_are_within_the_capture() {
    expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.3
    read_facts out.json
    awk -F'\t' '
        $1 == "thread" && $4 > 0 && ($5 < 0 || $6 < $5 || $6 - $5 > 60000) { print; bad = 1 }
        END { exit bad }' facts
}

run_tests "$@"
