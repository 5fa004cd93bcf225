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

# A static program NAME that links the agent, and exits with 5.
make_static_with_agent() {
    cat >"$1.c" <<'END'
#include <profd.h>
int main(void)
{
    profd_register_thread("GeckoMain");
    return 5;
}
END
    cc -static -I "$source_dir/child-agent/include" -o "$1" "$1.c" "$build/lib/libprofd.a" -pthread 2>warnings ||
        skip "does not link statically"
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

# used_less_cpu PROCESS MILLISECONDS: less than that, by each.
used_less_cpu() {
    meta_of "$1" profd.cpuTime | awk -v most="$2" '
        $1 == "" || $1 >= most { bad = 1 }
        END { exit bad || NR == 0 }' || fail "$1 used $(meta_of "$1" profd.cpuTime | xargs) ms of CPU"
}

# used_cpu PROCESS MILLISECONDS: at least, by each.
used_cpu() {
    meta_of "$1" profd.cpuTime | awk -v least="$2" '
        $1 == "null" || $1 + 0 < least { bad = 1 }
        END { exit bad || NR == 0 }' || fail "$1 used too little: $(meta_of "$1" profd.cpuTime | xargs)"
}

# status_names PROCESS WORDS: the status lists it with this reason.
# run_as_themselves NAME…: their exec calls are done.
run_as_themselves() {
    local name
    for name; do
        [ -n "$(find /proc/[0-9]*/exe -maxdepth 0 -lname "$PWD/$name" 2>/dev/null)" ] || return
    done
}

status_names() {
    "$profctl" status >status.txt
    grep -q "$1; not profiled: .*$2" status.txt
}

is_listed() {
    "$profctl" status | grep "$1" >/dev/null
}

test_a_static_command_is_listed() {
    make_static still
    expect 3 "$profctl" run -o out.json -- ./still 200 3
    read_facts out.json
    not_profiled still static
    outcome_of still exited 3
    used_cpu still 100
}

# It lives long enough to be seen in /proc, which shows the name of its file.
test_a_static_program_that_is_run_by_a_link_is_listed_once() {
    make_static still
    ln -s still alias
    expect 0 "$profctl" run -o out.json -- sh -c './alias 2000; :'
    read_facts out.json
    not_profiled alias static
    outcome_of alias exited 0
    [ "$(process_count still)" -eq 0 ] || fail "it is listed by two names"
    used_cpu alias 2000
}

goes_on_after_exec_in_vain() {
    expect 0 "$@" "$profctl" run --strict -o out.json -- "$programs/exec_in_vain" ./still
    read_facts out.json
    [ "$(process_count exec_in_vain)" -eq 1 ] || fail "$(process_count exec_in_vain) images of one"
    outcome_of exec_in_vain exited 0
    used_cpu exec_in_vain 600
}

test_a_program_that_could_not_become_a_static_one_goes_on() {
    make_static still
    goes_on_after_exec_in_vain env
    goes_on_after_exec_in_vain env WITH_IDLE_THREAD=1
}

# They were never another program, but what they used counts.
test_children_of_vfork_that_cannot_run_their_program_are_listed_with_what_they_use() {
    expect 4 "$profctl" run --strict -o out.json -- "$programs/vfork_in_vain" 3 40
    read_facts out.json
    [ "$(process_count vfork_in_vain)" -eq 4 ] || fail "$(process_count vfork_in_vain) processes of 4"
    [ "$(meta_of vfork_in_vain profd.cpuTime | awk '$1 >= 40' | wc -l)" -eq 3 ] ||
        fail "used: $(meta_of vfork_in_vain profd.cpuTime | xargs)"
    expect 0 "$profctl" run --strict -o out.json -- "$programs/vfork_in_vain" 3 0
    read_facts out.json
    [ "$(process_count vfork_in_vain)" -eq 1 ] || fail "those that used nothing are listed"
}

test_a_static_command_that_is_found_by_its_name_is_listed() {
    make_static still
    expect 0 env PATH="$PWD:$PATH" "$profctl" run -o out.json -- still 20
    read_facts out.json
    not_profiled still static
    outcome_of still exited 0
}

# Its numbers mean nothing to profd, and all end before profd looks for them.
test_static_programs_in_a_pid_namespace_of_their_own_are_listed() {
    unshare -Urpf true 2>/dev/null || skip "may not make pid namespaces"
    make_static still
    expect 4 "$profctl" run --strict -o out.json -- \
        unshare -Urpf sh -c './still 100; "$0" ./still 100; exec ./still 100' "$programs/spawn"
    read_facts out.json
    not_profiled still static
    outcome_of still exited 0
    used_cpu still 90 # one of them by its clock, which began before it was a program
    [ "$(process_count still)" -eq 4 ] || fail "$(process_count still) of 4 programs are listed"
    used_less_cpu still 200
}

# run_in_namespace WANTED HOW ARGUMENT…: runs_elsewhere, in a pid namespace of its own; WANTED is the status.
run_in_namespace() {
    unshare -Urpf true 2>/dev/null || skip "may not make pid namespaces"
    make_static still
    expect "$1" "$profctl" run --strict -o out.json -- unshare -Urpf "$programs/runs_elsewhere" "${@:2}"
    read_facts out.json
}

test_programs_in_a_pid_namespace_are_listed_however_short() {
    run_in_namespace 4 often ./still
    not_profiled still static
    outcome_of still exited 0
    [ "$(process_count still)" -eq 200 ] || fail "$(process_count still) of 200 programs are listed"
}

test_copies_of_a_program_in_a_pid_namespace_get_no_descriptors() {
    run_in_namespace 4 beside ./still # 4 is what --strict says of those: the program itself ended well
    [ "$(process_count still)" -eq 200 ] || fail "$(process_count still) of 200 programs are listed"
}

# What profd is told waits until it goes on.
test_programs_in_a_pid_namespace_are_listed_by_a_profd_that_slept() {
    unshare -Urpf true 2>/dev/null || skip "may not make pid namespaces"
    make_static still
    start_profd -- unshare -Urpf sh -c 'while [ ! -e go ]; do sleep 0.05; done; "$0" often ./still; touch over; sleep 60' \
        "$programs/runs_elsewhere"
    expect 0 "$profctl" start
    kill -STOP "$daemon"
    touch go
    wait_until test -e over
    kill -CONT "$daemon"
    "$profctl" capture -o out.json
    read_facts out.json
    not_profiled still static
    [ "$(process_count still)" -eq 200 ] || fail "$(process_count still) of 200 programs are listed"
}

test_programs_in_a_pid_namespace_that_could_not_be_run_are_not_listed() {
    run_in_namespace 0 in-vain ./still
    [ "$(process_count still)" -eq 0 ] || fail "$(process_count still) programs are listed that never ran"
}

# A child of vfork has its own filter, and its parent's memory.
test_a_child_of_vfork_in_a_pid_namespace_may_forbid_itself_sockets() {
    run_in_namespace 5 confined ./still 100 5
    says "not all reports of new processes reached profd" stderr
}

test_a_child_of_vfork_in_a_new_pid_namespace_is_listed_as_itself() {
    unshare -Urpf true 2>/dev/null || skip "may not make pid namespaces"
    make_static still
    expect 5 "$profctl" run -o out.json -- unshare -Ur "$programs/runs_elsewhere" deeper ./still 100 5
    read_facts out.json
    not_profiled still static
    outcome_of still exited 5
    used_cpu still 90
    used_less_cpu still 200
    [ "$(process_count still)" -eq 1 ]
}

# The kernel gives numbers of namespaces again at once, and pids begin at 1 in each.
test_processes_of_one_pid_namespace_do_not_have_the_ends_of_another() {
    unshare -Urpf true 2>/dev/null || skip "may not make pid namespaces"
    make_static still
    make_dynamic moving
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c '
        for i in 1 2 3 4; do unshare -Urpf sh -c "./still 60000 & sleep 0.1"; done
        for i in 1 2 3 4; do unshare -Urpf sh -c "./moving 600; true"; done'
    read_facts out.json
    not_profiled still static
    [ "$(process_count still)" -eq 4 ]
    refute grep -qE '^[0-9]{3}' <(meta_of still profd.cpuTime) # of what nobody saw, nothing is known
}

# Nothing in the next program says hello, and nobody tells of it: profd sees that it is another.
test_a_process_that_becomes_another_program_unnoticed() {
    make_static still
    start_profd -- "$programs/becomes" goes_on "$PWD/still" 0 -1
    expect 0 "$profctl" start
    wait_until is_listed becomes
    touch goes_on
    wait_until status_names still static
    "$profctl" capture -o out.json
    read_facts out.json
    not_profiled still static
    outcome_of still live 0
    [ "$(process_count still)" -eq 1 ]
    [ "$(process_count becomes)" -eq 1 ]
    "$profctl" stop >/dev/null
    pkill -KILL -P "$daemon"
}

test_status_and_capture_tell_of_those_that_live() {
    make_static still
    make_dynamic cleared
    make_dynamic disabled
    # shellcheck disable=SC2016
    start_profd -- sh -c './still 100 -1 & env -i ./cleared 0 -1 & PROFD_DISABLE=1 ./disabled 0 -1 & wait'
    wait_until run_as_themselves still cleared disabled
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

test_children_of_a_shell_are_listed_with_their_end() {
    make_static still
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c './still 200 7; ./still 200 7; true'
    read_facts out.json
    [ "$(process_count still)" -eq 2 ]
    not_profiled still static
    outcome_of still exited 7
    used_cpu still 100
    ended sh exited 0
}

test_two_hundred_static_children_of_any_shell_are_listed() {
    make_static still
    for shell in sh bash; do
        # shellcheck disable=SC2016
        expect 0 "$profctl" run -o out.json -- \
            "$shell" -c 'for i in $(seq 200); do ./still 0 5; done; true'
        read_facts out.json
        [ "$(process_count still)" -eq 200 ] || fail "$shell: $(process_count still)"
        not_profiled still static
        outcome_of still exited 5
        used_cpu still 0
    done
}

test_a_signal_is_told_too() {
    make_static still
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- sh -c './still 0 -1 &
        until [ "$(readlink /proc/$!/exe)" = "$PWD/still" ]; do :; done
        kill -KILL $!; wait; true'
    read_facts out.json
    not_profiled still static
    outcome_of still killed 9
}

test_a_cleared_environment_is_told() {
    make_dynamic cleared
    expect 4 "$profctl" run -o out.json -- env -i ./cleared 200 4
    read_facts out.json
    not_profiled cleared environment
    outcome_of cleared exited 4
    used_cpu cleared 100
}

test_profd_disable_is_told() {
    make_dynamic disabled
    expect 0 "$profctl" run -o out.json -- env PROFD_DISABLE=1 ./disabled 0
    read_facts out.json
    not_profiled disabled PROFD_DISABLE
    outcome_of disabled exited 0
}

has_grandchild() {
    pgrep -P "$(pgrep -P "$daemon" -x poor)"
}

test_too_few_descriptors_are_told() {
    # A program that was started with few of them may still be profiled: the agent has a table of its own.
    cat >poor.c <<'END'
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_NOFILE, &none) < 0)
        return 1;
    if (fork() == 0)
        for (;;)
            pause();
    wait(NULL);
    return 0;
}
END
    cc -O1 -o poor poor.c
    start_profd -- ./poor
    wait_until has_grandchild # a child of the session has nothing to record, and needs no descriptor for that
    "$profctl" start
    wait_until status_names poor descriptors
    pkill -KILL -P "$(pgrep -P "$daemon")"
}

test_threads_that_a_debugger_waits_for_are_no_processes() {
    cat >debugger.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
static void *end_at_once(void *argument)
{
    return argument;
}
int main(void)
{
    int status;
    pid_t ended, child = fork();
    if (child == 0) {
        pthread_t thread;
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        for (int i = 0; i < 3 && pthread_create(&thread, NULL, end_at_once, NULL) == 0; i++)
            pthread_join(thread, NULL);
        _exit(7);
    }
    waitpid(child, &status, __WALL);
    ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACECLONE);
    ptrace(PTRACE_CONT, child, 0, 0);
    while ((ended = waitpid(-1, &status, __WALL)) > 0) {
        int signal = WIFSTOPPED(status) && status >> 16 == 0 ? WSTOPSIG(status) : 0;
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, ended, 0, signal == SIGSTOP || signal == SIGTRAP ? 0 : signal);
    }
    return 0;
}
END
    cc -O1 -o debugger debugger.c
    expect 0 "$profctl" run -o out.json -- ./debugger
    read_facts out.json
    [ "$(process_count debugger)" -eq 2 ]
    refute grep -q not-profiled facts
}

test_a_setuid_program_is_told() {
    need_root
    make_dynamic raised
    chown nobody raised
    chmod 4755 raised
    expect 6 "$profctl" run -o out.json -- sh -c './raised 100 6'
    read_facts out.json
    not_profiled raised privileges
    outcome_of raised exited 6
}

test_what_could_not_be_run_is_not_listed() {
    make_static still
    expect 126 "$profctl" run -o out.json -- bash -c 'cp still broken; chmod -x broken; exec ./broken'
    read_facts out.json
    [ "$(process_count broken)" -eq 0 ]
    has_process bash
}

# Shells use vfork where they can: what ends there was never another process.
test_a_command_that_is_not_found_is_no_process() {
    expect 127 "$profctl" run -o out.json -- sh -c '/bin/true; ./nothing; nothing-at-all'
    read_facts out.json
    refute grep -q not-profiled facts
    has_process true
}

# The kernel adds what children used to what their parent used; the capture does not.
test_cpu_time_is_a_process_own() {
    make_static still
    expect 0 "$profctl" run -o out.json -- bash -c './still 1000; bash -c "./still 1000; true"; true'
    read_facts out.json
    used_cpu still 1000
    used_less_cpu bash 1000
}

test_spawned_programs_are_told() {
    make_static still
    command -v python3 >/dev/null || skip "no python3"
    expect 0 "$profctl" run -o out.json -- python3 -c '
import os
for wait in (lambda pid: os.waitpid(pid, 0), lambda pid: os.waitid(os.P_PID, pid, os.WEXITED)):
    wait(os.posix_spawn("./still", ["still", "0", "8"], os.environ))
    wait(os.posix_spawnp("./still", ["still", "0", "8"], os.environ))
'
    read_facts out.json
    [ "$(process_count still)" -eq 4 ]
    not_profiled still static
    outcome_of still exited 8
}

# Who spawns a program may tell of it when that program has long said hello.
test_spawned_programs_that_are_profiled_are_in_it_once() {
    printf '%s\n' 'all: $(addprefix x,$(shell seq 100))' 'x%: ; @/bin/true && /bin/true' >makefile
    expect 0 env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL "$profctl" run -o out.json -- make -j2 -f makefile
    read_facts out.json
    refute grep -q not-profiled facts
    [ "$(process_count sh)" -eq 100 ]
    [ "$(process_count true)" -eq 200 ]
}

test_profiled_children_have_cpu_time_and_status_too() {
    make_dynamic seen
    expect 0 "$profctl" run -o out.json -- sh -c './seen 200 9; true'
    read_facts out.json
    ended seen exited 9
    used_cpu seen 100
    [ -z "$(meta_of seen profd.reason)" ]
}

# It brings an agent of its own, whatever the judgement was.
test_a_static_program_with_an_agent_is_profiled() {
    make_static_with_agent own
    expect 5 "$profctl" run -o out.json -- ./own
    expect 5 "$profctl" run -o below.json -- sh -c './own; exit $?'
    for file in out.json below.json; do
        read_facts $file
        [ "$(process_count own)" -eq 1 ]
        ended own exited 5
    done
}

# As spawned, it is judged wrongly by somebody who may tell so when it has long said hello.
test_a_spawned_static_program_with_an_agent_is_in_it_once() {
    command -v python3 >/dev/null || skip "no python3"
    make_static_with_agent own
    expect 0 "$profctl" run -o out.json -- python3 -c '
import os
for each in range(100):
    os.waitpid(os.posix_spawn("./own", ["own"], os.environ), 0)
'
    read_facts out.json
    [ "$(process_count own)" -eq 100 ]
    refute grep -q not-profiled facts
}

# The same when profd comes to what was told, and to their hellos, once they have gone.
test_spawned_static_programs_with_an_agent_that_ended_before_profd_looked() {
    command -v python3 >/dev/null || skip "no python3"
    make_static_with_agent own
    cat >spawns.py <<'END'
import os, time
while not os.path.exists("go"):
    time.sleep(0.02)
for each in range(400):
    os.waitpid(os.posix_spawn("./own", ["own"], os.environ), 0)
open("ran", "w").close()
time.sleep(100)
END
    start_profd -- python3 spawns.py
    expect 0 "$profctl" start
    kill -STOP "$daemon"
    touch go
    wait_until test -e ran
    kill -CONT "$daemon"
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count own)" -eq 400 ]
    refute grep -q not-profiled facts
}

test_running_and_waiting_are_what_they_were() {
    expect 0 "$programs/children"
    expect 0 "$profctl" run -o out.json -- "$programs/children"
    read_facts out.json
    grep -q environment <(meta_of sh profd.reason)
    # Run by its descriptor, it has the file's own name.
    has_process "$(basename "$(readlink -f /bin/sh)")"
}

# Nothing is known against the last of these programs, but its agent speaks to somebody else.
test_who_execs_and_is_never_heard_again() {
    expect 0 "$profctl" run -o out.json -- \
        sh -c '(exec env PROFD_SOCKET=/nowhere sh -c "sleep 0.1; exit 5"); :'
    says 'ran without being profiled' stderr
    read_facts out.json
    grep -qx 'its agent never said hello' <(meta_of sh profd.reason)
    grep -qx 5 <(meta_of sh profd.code)
    [ "$(process_count process)" -eq 0 ]
}

# A child that was made past the agent is called like the program that it runs.
test_who_is_only_known_by_its_end_has_a_name() {
    expect 0 "$profctl" run -o out.json -- "$programs/raw_children"
    read_facts out.json
    [ "$(process_count process)" -eq 0 ]
    [ "$(process_count raw_children)" -gt 2 ]
    expect 0 "$profctl" report out.json
    says '6 × raw_children: exited with status 7' stdout
    # Nobody knows when they began, so they have no length.
    expect 0 "$profctl" report --processes out.json
    says '[0-9.]+ +\?  [0-9]+  raw_children  ' stdout
    refute grep -qE ' 0\.0  [0-9]+  raw_children' stdout
}

# The agent keeps out of what valgrind runs: its signals and stacks would look like faults there.
test_a_program_under_valgrind_is_left_alone() {
    command -v valgrind >/dev/null || skip "needs valgrind"
    for arguments in "" "thread" "thread call"; do
        # shellcheck disable=SC2086
        expect 0 timeout 100 "$profctl" run -o out.json -- \
            valgrind -q --error-exitcode=9 "$programs/last_thread" $arguments
        refute grep -q '^==' stderr
    done
    expect 0 timeout 100 "$profctl" run -o out.json -- valgrind -q --error-exitcode=9 \
        sh -c "i=0; while [ \$i -lt 30000 ]; do i=\$((i + 1)); done; '$programs/busy' 0.1"
    refute grep -q '^==' stderr
    says '1 process ran without being profiled: [0-9]+ \(memcheck' stderr
    read_facts out.json
    [ "$(process_count busy)" -eq 1 ] # which is not in it
    [ "$(process_count sh)" -eq 0 ]
}

# The agent of what another profd runs speaks to that one.
test_what_another_profd_runs_has_a_name() {
    expect 0 "$profctl" run -o out.json -- "$profctl" run -q -o inner.json -- "$programs/busy" 0.1
    read_facts out.json
    [ "$(process_count process)" -eq 0 ]
    grep -qx 'its agent never said hello' <(meta_of busy profd.reason)
}

# Nobody told of it, and profd reaps it: the kernel knows what it was.
test_an_orphan_that_nobody_knows_has_a_name() {
    cat >orphan.c <<'END'
#include <sys/prctl.h>
#include <unistd.h>

#include "raw_fork.h"
int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) < 0)
        return 1;
    if (raw_fork() == 0) {
        prctl(PR_SET_NAME, "foundling");
        if (raw_fork() == 0)
            usleep(100000);
        _exit(0);
    }
    close(ends[1]);
    return read(ends[0], &byte, 1) == 0 ? 0 : 1;
}
END
    cc -O1 -I "$source_dir/tests/system/programs" -o orphan orphan.c
    expect 0 "$profctl" run -o out.json -- ./orphan
    read_facts out.json
    [ "$(process_count process)" -eq 0 ]
    has_process foundling
}

test_who_execs_and_nobody_waits() {
    expect 0 "$profctl" run -o out.json -- \
        "$programs/unwaited" /usr/bin/env PROFD_SOCKET=/nowhere sleep 0.1
    says 'ran without being profiled: [0-9]+ \(sleep\)' stderr
    read_facts out.json
    has_process env
    grep -q 'never said hello' <(meta_of sleep profd.reason)
}

# They are processes of their own, with their ends, and nothing of them is missing.
test_copies_that_end_at_once_leave_the_capture_complete() {
    expect 0 "$profctl" run -o out.json -- "$programs/brief_copies"
    one_line stderr
    expect 0 "$profctl" report out.json
    says '5 × brief_copies: exited with status 3' stdout
    says '5 × brief_copies: killed by SIGKILL' stdout
    refute grep -q 'Not profiled' stdout
}

# Whatever the agent lacks memory for, a process without samples is not passed over.
test_who_has_no_memory_to_record_is_told_of() {
    local without=0
    for limit in 14 16 18 20 24; do
        expect 0 "$profctl" run -o out.json -- \
            sh -c "ulimit -v $((limit * 1024)); exec '$programs/busy' 0.1"
        read_facts out.json
        [ "$(samples_of busy GeckoMain)" -le 1 ] || continue
        without=$((without + 1))
        says 'incomplete.*(agent that could not record|without being profiled): .*\(busy\)' stderr
    done
    [ $without -gt 0 ] || skip "each of them had enough"
}

# Who tells does not need a profd that listens: what was told waits for it.
test_what_ran_while_profd_was_dead_is_told() {
    make_static still
    # shellcheck disable=SC2016
    start_profd -- sh -c '
        until [ -e go ]; do sleep 0.02; done
        ./still 0 7; ./still 0 7
        touch ran
        until [ -e over ]; do sleep 0.02; done'
    expect 0 "$profctl" start
    kill_profd
    touch go
    wait_until test -e ran
    start_profd
    expect 0 "$profctl" capture -o out.json
    touch over
    read_facts out.json
    [ "$(process_count still)" -eq 2 ]
    not_profiled still static
    outcome_of still exited 7
}

# Each is listed once, with its end, though none lives long enough to be seen in /proc, and no call may be made there
# to tell of them.
test_children_behind_a_filter_are_listed() {
    for with in "cpu" "wall" "cpu WITH_IDLE_THREAD=1"; do
        clock=${with%% *}
        # shellcheck disable=SC2086 # a variable, or none
        expect 0 env ${with#"$clock"} "$profctl" run --clock "$clock" -o out.json -- "$programs/children_behind_filter"
        read_facts out.json
        for program in true false echo printenv; do
            [ "$(process_count $program)" -eq 1 ] || fail "$(process_count $program) x $program with $with"
            not_profiled $program filter
        done
        outcome_of false exited 1
        [ "$(meta_of children_behind_filter profd.code | sort -n | xargs)" = "0 3 5 9 17 21 23" ] ||
            fail "they ended with $(meta_of children_behind_filter profd.code | sort -n | xargs) with $with"
        refute grep -qvx exited <(meta_of children_behind_filter profd.outcome)
    done
}

run_tests "$@"
