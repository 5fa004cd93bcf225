#!/bin/bash
# Processes that have nothing to record so far: they cost next to nothing, and are in the capture all the same.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# dormant_ones NAME: how many processes called NAME recorded nothing, and ended so that their parent told of it.
dormant_ones() {
    process_values "$1" | awk '$1 == "null" && $2 == "exited" && $3 > 0' | wc -l
}

# process_values NAME: clock, verdict, CPU time in ms and reason of each process called NAME.
process_values() {
    python3 - "$1" <<'END'
import json, sys
for process in json.load(open("out.json"))["processes"]:
    for facts in process["profilingLog"].values():
        profd = facts["profd"]
        if profd["executable"].split("/")[-1] == sys.argv[1]:
            print(str(profd["clock"]).replace("None", "null"), profd["verdict"], profd["cpuTime"], profd.get("reason"))
END
}

test_short_programs_record_nothing_and_are_listed() {
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c 'for i in $(seq 100); do /bin/true; done; exit 0'
    refute grep -q incomplete stderr
    read_facts out.json
    [ "$(process_count true)" -eq 100 ] || fail "$(process_count true) processes called true"
    # A slow machine's tick may come before the program's end.
    [ "$(dormant_ones true)" -ge 50 ] || fail "$(dormant_ones true) of 100 were dormant"
    [ "$(process_values true | awk '$2 == "exited"' | wc -l)" -eq 100 ]
}

# Which of them are dormant is the machine's affair, and not seen here.
test_short_programs_have_their_command_lines() {
    for kind in json profd; do
        # shellcheck disable=SC2016
        expect 0 "$profctl" run -o out.$kind -- sh -c 'for i in 1 2 3 4; do /bin/true a "b c" $i; done; exit 0'
        [ $kind = json ] || expect 0 "$profctl" convert out.profd -o out.json
        for i in 1 2 3 4; do
            grep -qF "\"commandLine\":[\"/bin/true\",\"a\",\"b c\",\"$i\"]" out.json || fail "no true $i in the $kind"
        done
    done
}

test_a_fork_that_becomes_a_program_is_that_program() {
    expect 0 "$profctl" run -o out.json -- sh -c '/bin/true; exit 0'
    read_facts out.json
    [ "$(process_count sh)" -eq 1 ] && [ "$(process_count true)" -eq 1 ]
}

test_a_fork_that_runs_nothing_has_the_name_of_its_parent() {
    expect 0 "$profctl" run -o out.json -- bash -c '(exit 3); (exit 0); exit 0'
    read_facts out.json
    [ "$(process_count bash)" -eq 3 ]
    process_values bash | grep -q '^null exited'
}

test_one_that_is_killed_tells_its_signal() {
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c 'sleep 100 &
        until grep -q "(sleep) S" /proc/$!/stat; do :; done
        kill -KILL $!; wait; exit 0'
    read_facts out.json
    process_values sleep | grep -q ' killed ' || fail "$(process_values sleep)"
}

test_the_first_tick_wakes() {
    expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.2
    read_facts out.json
    has_function busy burn_inner
    process_values busy | grep -q '^cpu exited'
    # What was used before is told as well.
    python3 - <<'END' || fail "CPU time is missing"
import json
for process in json.load(open("out.json"))["processes"]:
    for facts in process["profilingLog"].values():
        if facts["profd"]["executable"].endswith("/busy"):
            samples = process["threads"][0]["samples"]
            delta = samples["schema"]["threadCPUDelta"]
            told = sum(row[delta] or 0 for row in samples["data"]) / 1000
            used = facts["profd"]["cpuTime"]
            assert 0.9 * used < told < 1.05 * used, (told, used)
END
}

test_what_is_recorded_wakes() {
    expect 137 "$profctl" run -o out.json -- "$programs/marking_once"
    read_facts out.json
    grep -q $'\tfirst words\t' facts || fail "$(cat facts)"
}

test_another_user_and_another_root_are_too_late_to_wake() {
    need_root
    mkdir -p root
    expect 0 "$profctl" run -o out.json -- "$programs/change_user" 65534
    read_facts out.json
    [ "$(samples_of unprivileged GeckoMain)" -gt 10 ] || [ "$(samples_of change_user GeckoMain)" -gt 10 ]
    command -v perl >/dev/null || skip "needs perl"
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- \
        perl -e 'chroot "root" or die; my $x = 0; $x++ while (times)[0] < 0.3'
    read_facts out.json
    [ "$(samples_of perl GeckoMain)" -gt 10 ]
}

test_whatever_a_program_does_first_its_work_is_sampled() {
    local way
    for way in rename privileges child-privileges thread; do
        expect 0 "$profctl" run -o out.json -- "$programs/turns" $way 0.3
        read_facts out.json
        [ "$(samples_of turns GeckoMain)$(samples_of turns renamed)" -gt 20 ] ||
            fail "$way: $(grep ^thread facts)"
    done
}

test_one_that_begins_in_a_pause_is_sampled_after_it() {
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c '"$0" pause; "$1" 1.5 & sleep 0.3; "$0" resume; wait' \
        "$profctl" "$programs/busy"
    read_facts out.json
    [ "$(samples_of busy GeckoMain)" -gt 10 ] || fail "$(samples_of busy GeckoMain) samples"
}

test_one_that_outlives_its_session_is_as_alone() {
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -d 0.2s -o out.json -- sh -c 'sleep 0.6; exec "$0" thread 0.2' "$programs/turns"
}

test_a_fork_writes_its_own_profile_when_that_is_asked_for() {
    PROFD_SHUTDOWN=own-%p.json expect 0 "$profctl" run -o out.json -- bash -c '(exit 0); exit 0'
    refute grep -qE 'nothing is|no profile is' stderr
    [ "$(find . -name 'own-*.json' | wc -l)" -eq 2 ]
}

# Children that never used a tick and wait: what they write over their arguments is found from outside.
test_a_title_of_a_dormant_process_is_found() {
    command -v perl >/dev/null || skip "needs perl"
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- \
        perl -e 'if (fork == 0) { $0 = "the titled one"; select undef, undef, undef, 2.5; exit 0 } wait'
    read_facts out.json
    has_process 'the titled one'
}

# Its parent sleeps, and has not heard of the session.
test_a_fork_of_one_that_rests_takes_part_from_its_start() {
    cat >forks.c <<'END'
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/system/programs/burn.h"
int main(void)
{
    while (access("go", F_OK) < 0)
        usleep(10000);
    if (fork() == 0) {
        burn_outer(0.03);
        _exit(0);
    }
    wait(NULL);
    close(open("ended", O_CREAT | O_WRONLY, 0600));
    return (int)sleep(100);
}
END
    cc -D_GNU_SOURCE -O1 -I"$source_dir" -o forks forks.c
    start_profd -- ./forks
    expect 0 "$profctl" start
    touch go
    wait_until test -e ended
    expect 0 "$profctl" capture -o out.json
    process_values forks | grep -q '^cpu exited' || fail "$(process_values forks)"
    read_facts out.json
    has_function forks burn_inner
}

run_tests "$@"
