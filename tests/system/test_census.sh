#!/bin/bash
# Processes without an agent: each is in the capture and in the status, with the reason.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A static program NAME: burns MILLISECONDS of CPU, then exits with STATUS (or waits for ever: -1).
make_static() {
    cat >"$1.c" <<'END'
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    long want_ms = count > 1 ? atol(arguments[1]) : 0;
    int status = count > 2 ? atoi(arguments[2]) : 0;
    while (clock() < want_ms * (CLOCKS_PER_SEC / 1000))
        ;
    while (status < 0)
        pause();
    return status;
}
END
    cc -static -O1 -o "$1" "$1.c" || skip "no static C library"
}

# A dynamic program NAME that does the same.
make_dynamic() {
    make_static "$1"
    cc -O1 -o "$1" "$1.c"
}

# not_profiled PROCESS WORDS: every process called so has the verdict, and WORDS in its reason.
not_profiled() {
    has_process "$1"
    refute grep -qv '^not-profiled$' <(meta_of "$1" profd.verdict)
    grep -qi -- "$2" <(meta_of "$1" profd.reason) ||
        fail "$1 is not called '$2' but: $(meta_of "$1" profd.reason | sort -u)"
}

# outcome_of PROCESS OUTCOME CODE: what became of each of them all the same.
outcome_of() {
    refute grep -qvx "$2	$3" <(paste <(meta_of "$1" profd.outcome) <(meta_of "$1" profd.code))
}

# used_cpu PROCESS MILLISECONDS: at least, by each.
used_cpu() {
    meta_of "$1" profd.cpuTime | awk -v least="$2" '
        $1 == "null" || $1 + 0 < least { bad = 1 }
        END { exit bad || NR == 0 }' || fail "$1 used too little: $(meta_of "$1" profd.cpuTime | xargs)"
}

# status_names PROCESS WORDS: the status lists it with this reason.
status_names() {
    "$profctl" status >status.txt
    grep -q "$1; not profiled: .*$2" status.txt
}

test_a_static_command_is_listed() {
    make_static still
    expect 3 "$profctl" run -o out.json -- ./still 200 3
    read_facts out.json
    not_profiled still static
    outcome_of still exited 3
    used_cpu still 100
}

test_a_static_command_that_is_found_by_its_name_is_listed() {
    make_static still
    expect 0 env PATH="$PWD:$PATH" "$profctl" run -o out.json -- still 20
    read_facts out.json
    not_profiled still static
    outcome_of still exited 0
}

test_status_and_capture_tell_of_those_that_live() {
    make_static still
    make_dynamic cleared
    make_dynamic disabled
    # shellcheck disable=SC2016
    start_profd -- sh -c './still 100 -1 & env -i ./cleared 0 -1 & PROFD_DISABLE=1 ./disabled 0 -1 & wait'
    "$profctl" start
    wait_until status_names still static
    wait_until status_names cleared environment
    wait_until status_names disabled PROFD_DISABLE
    "$profctl" capture -o out.json
    read_facts out.json
    not_profiled still static
    not_profiled cleared environment
    not_profiled disabled PROFD_DISABLE
    outcome_of still live 0
    "$profctl" stop >/dev/null
    pkill -KILL -P "$(pgrep -P "$daemon")"
}

run_tests "$@"
