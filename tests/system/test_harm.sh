#!/bin/bash
# Whatever profd does to a program, the program does not notice: waits, timers and limits.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=unharmed.sh
. "$(dirname "$0")/unharmed.sh"

test_waits_are_not_cut_short_by_children_that_end() {
    for clock in $clocks; do
        unharmed "$clock" interruptions
    done
}

# They end at once with any library in front of theirs. The test's own ASAN_OPTIONS would let them be.
test_programs_with_sanitizers_run_without_the_agent() {
    local kind
    unset ASAN_OPTIONS
    echo 'int main(void) { return 7; }' >seven.c
    for kind in address thread; do
        gcc -fsanitize=$kind seven.c -o "seven_$kind" 2>/dev/null || skip "needs the runtimes of sanitizers"
        setarch -R "./seven_$kind" || [ $? -eq 7 ] || skip "needs sanitizers that run here"
        expect 7 "$profctl" run -o out.json -- setarch -R "./seven_$kind"
        grep -q 'without being profiled' stderr
        expect 7 "$profctl" run -o out.json -- "./seven_$kind"
        expect 0 "$profctl" run -o out.json -- sh -c "./seven_$kind; [ \$? -eq 7 ]"
        grep -q 'built with a sanitizer' out.json
    done
}

# Where the kernel says that there is nothing, the program hears that.
test_bad_addresses_are_errors() {
    local clock
    for clock in $clocks; do
        unharmed "$clock" bad_addresses
    done
}

# timers WHEN: how many the program said that it had.
timers() {
    sed -n "s/^$1 //p" stdout
}

test_timers_end_with_their_threads() {
    local clock
    for clock in $clocks; do
        unharmed "$clock" timers_left 50
        [ "$(timers before)" -ge 1 ] || fail "the main thread has none"
        [ "$(timers meanwhile)" -eq $(($(timers before) + 50)) ] || fail "$(timers meanwhile) timers meanwhile"
        [ "$(timers afterwards)" -eq "$(timers before)" ] || fail "$(timers afterwards) timers afterwards"
    done
}

test_a_thread_that_ends_unseen_leaves_no_timer() {
    expect 0 "$programs/silent_end"
    for clock in $clocks; do
        unharmed "$clock" silent_end
    done
}

has_ended_profile() {
    expect 0 "$profctl" status --json
    kept_bytes=$(sed -n 's/.*"exit_profiles":{"kept":1,"bytes":\([0-9]*\).*/\1/p' stdout)
    [ -n "$kept_bytes" ]
}

# A chunk is 64 KB: one for each of them were 19 MB.
test_many_threads_that_run_once_share_chunks() {
    start_profd
    expect 0 "$profctl" start --clock cpu
    expect 0 env LD_PRELOAD="$build/lib/libprofd.so" "$programs/timers_left" 300
    wait_until has_ended_profile
    has_ended_profile
    [ "$kept_bytes" -lt 1500000 ] || fail "300 threads took $kept_bytes bytes"
}

test_a_program_that_may_have_no_timers_lives_and_is_told_of() {
    start_profd
    expect 0 "$profctl" start --clock cpu
    # shellcheck disable=SC2016 # the shell that is started expands them
    in_background bash -c 'ulimit -i 0; LD_PRELOAD="$0" exec "$1" 60 pid' "$build/lib/libprofd.so" "$programs/busy"
    wait_until test -s pid
    expect 0 "$profctl" status
    says 'cpu, .* in 1 process; not as requested: no timers are left for more threads \(ulimit -i\)' stdout
    expect 0 "$profctl" capture -o out.json
    expect 0 "$profctl" report out.json
    says '^clock: cpu, .*; not as requested: no timers are left for more threads \(ulimit -i\)' stdout
    is_running "$background"
}

# Sessions of each kind begin and end; nobody signals those that wait, however they wait.
test_who_sleeps_is_not_disturbed_by_sessions_that_begin() {
    cat >sleeps.c <<'END'
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    const struct timespec moment = { .tv_nsec = 50000000 };
    int disturbed = 0;
    close(open("ready", O_CREAT | O_WRONLY, 0600));
    while (access("end", F_OK) < 0) {
        disturbed += syscall(SYS_nanosleep, &moment, NULL) < 0;
        disturbed += syscall(SYS_poll, NULL, 0, 50) < 0;
    }
    printf("%d\n", disturbed);
    return disturbed != 0;
}
END
    cc -D_GNU_SOURCE -O1 -o sleeps sleeps.c
    start_profd
    LD_PRELOAD=$build/lib/libprofd.so in_background ./sleeps
    local sleeper=$background
    wait_until test -e ready
    for _ in 1 2 3; do
        for options in '--clock wall' '--clock perf' '-f stacks,nativeallocs' ''; do
            # shellcheck disable=SC2086 # words
            expect 0 "$profctl" start $options
            expect 0 "$profctl" capture -o out.json
            expect 0 "$profctl" stop
        done
    done
    touch end
    wait "$sleeper" || fail "it was disturbed"
}

# It began with one thread, and waits in a call that is one of the C library's.
test_who_waits_gets_a_thread_where_the_session_needs_one() {
    start_profd
    LD_PRELOAD=$build/lib/libprofd.so in_background "$programs/numbered" n
    wait_until counts_in n
    [ "$(find "/proc/$background/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
    expect 0 "$profctl" start --clock wall
    has_more_threads() { [ "$(find "/proc/$background/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]; }
    wait_until has_more_threads
}

# It lacks a thread of ours for the session, and waits behind its filter for the first time.
test_who_has_a_filter_makes_no_other_calls_in_a_wait() {
    cat >filtered.c <<'END'
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/system/programs/burn.h"
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(poll), ALLOW(exit_group), ALLOW(exit), ALLOW(rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
    close(open("ready", O_CREAT | O_WRONLY, 0600));
    while (access("go", F_OK) < 0)
        ;
    burn_outer(0.2);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return 2;
    for (int i = 0; i < 10; i++)
        poll(NULL, 0, 20);
    syscall(SYS_exit_group, 0);
}
END
    cc -D_GNU_SOURCE -O1 -I"$source_dir" -o filtered filtered.c
    start_profd
    LD_PRELOAD=$build/lib/libprofd.so in_background ./filtered
    local filtered=$background
    wait_until test -e ready
    expect 0 "$profctl" start --clock wall
    touch go
    wait "$filtered" || fail "it ended with $?"
}

# The agent's thread ends the sampler's while the program's next thread would begin it.
test_sessions_come_and_go_while_threads_begin() {
    start_profd
    LD_PRELOAD=$build/lib/libprofd.so in_background "$programs/begins_threads" over
    local begins=$background
    for _ in {1..100}; do
        for clock in wall perf cpu; do
            expect 0 "$profctl" start --clock "$clock" --interval 1ms
            expect 0 "$profctl" stop
        done
    done
    touch over
    wait "$begins" || fail "it ended with $?"
}

run_tests "$@"
