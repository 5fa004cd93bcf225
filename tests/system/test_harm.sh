#!/bin/bash
# Whatever profd does to a program, the program does not notice: signals, waits, stacks, timers and limits.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# unharmed CLOCK PROGRAM [ARGUMENT…]: it knows itself whether all was as it is alone, where it says so, too.
unharmed() {
    local clock=$1
    shift
    expect 0 env PROFD_DISABLE=1 "$programs/$1" "${@:2}"
    expect 0 "$profctl" --quiet run --clock "$clock" -o out.json -- "$programs/$1" "${@:2}"
    read_facts out.json
}

test_waits_are_not_cut_short_by_children_that_end() {
    for clock in $clocks; do
        unharmed "$clock" interruptions
    done
}

test_waits_are_cut_short_by_handlers_that_block_all_signals() {
    for clock in $clocks; do
        unharmed "$clock" masked_handler
        unharmed "$clock" masked_handler no-new-privs
    done
}

test_coroutines_on_small_stacks() {
    for clock in $clocks; do
        # What the kernel saves for a signal takes 3.5 KB with AVX-512. So does binding a name as late as usual.
        for bytes in 16384 8192 2048; do
            LD_BIND_NOW=1 unharmed "$clock" coroutines $bytes
            has_function coroutines work_in_coroutine
        done
    done
}

# What a program ignores and blocks goes on to the programs that it runs.
# own_signals FILE: without the two that are the C library's, which posix_spawn() in whatever started this test may have
# set.
own_signals() {
    while read -r name bits; do
        printf '%s %x\n' "$name" $((0x$bits & ~0x180000000))
    done <"$1"
}

test_programs_inherit_what_is_ignored_and_blocked() {
    for clock in $clocks; do
        for way in exec fork vfork spawn; do
            expect 0 env PROFD_DISABLE=1 "$programs/hands_on" $way
            own_signals stdout >bare
            expect 0 "$profctl" --quiet run --clock "$clock" -o out.json -- "$programs/hands_on" $way
            own_signals stdout >profiled
            diff bare profiled
            read_facts out.json
            has_function hands_on burn_outer
        done
    done
}

# Also what the first one was started with; it itself has our handler.
test_what_is_ignored_from_the_start_stays_so() {
    local show=(env env PROFD_DISABLE=1 grep -E 'SigBlk|SigIgn' /proc/self/status)
    expect 0 bash -c 'trap "" URG; exec "$@"' - "${show[@]}"
    own_signals stdout >bare
    expect 0 bash -c 'trap "" URG; exec "$@"' - "$profctl" --quiet run -o out.json -- "${show[@]}"
    own_signals stdout >profiled
    diff bare profiled
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

# Also where no session is on, and with the signal that the user chose.
test_signals_of_the_program_arrive() {
    for way in signalfd all allbynumber allurgent sigtimedwait handler unblocking thread reading; do
        expect 0 "$programs/urgent" $way
        for clock in $clocks; do
            unharmed "$clock" urgent $way
            unharmed "$clock" urgent $way both
        done
    done
    for way in signalfd all sigtimedwait thread; do
        PROFD_SIGNAL=URG unharmed cpu urgent $way
    done
}

test_a_program_that_uses_the_sampling_signal_is_sampled() {
    for clock in $clocks; do
        unharmed "$clock" urgent signalfd
        [ "$(samples_of urgent GeckoMain)" -gt 4 ] || fail "$(samples_of urgent GeckoMain) samples with $clock"
    done
    unharmed cpu urgent signalfd both
    expect 0 "$profctl" report out.json
    says 'the program uses the signal that takes samples' stdout
}

test_a_stack_for_signals_is_the_programs_own() {
    for clock in $clocks; do
        unharmed "$clock" alternate_stack
        has_function alternate_stack work_in_handler
    done
}

# What the kernel saves for the program's handler and for ours does not fit.
test_a_small_stack_for_signals_is_enough() {
    local way clock
    for way in '' urgent both filtered; do
        expect 0 "$programs/small_stacks" $way
        for clock in $clocks; do
            unharmed "$clock" small_stacks $way
        done
    done
}

test_a_handler_on_a_small_stack_may_be_left() {
    local clock
    expect 0 "$programs/small_stacks" left
    for clock in $clocks; do
        unharmed "$clock" small_stacks left
        has_function small_stacks work_on_afterwards
    done
}

# Where the kernel says that there is nothing, the program hears that.
test_bad_addresses_are_errors() {
    local clock
    for clock in $clocks; do
        unharmed "$clock" bad_addresses
    done
}

test_a_program_without_a_stack_for_signals_sees_none() {
    for clock in $clocks; do
        unharmed "$clock" no_alternate_stack
        has_function no_alternate_stack burn_outer
    done
}

test_a_go_program_keeps_its_stack_for_signals() {
    for clock in $clocks; do
        unharmed "$clock" go_signal_stack
        has_function go_signal_stack burn_outer
    done
}

test_who_sets_masks_by_system_calls_is_interrupted_and_sampled() {
    for clock in $clocks; do
        unharmed "$clock" go_masks
        for thread in first second; do
            [ "$(samples_of go_masks $thread)" -gt 10 ] ||
                fail "$(samples_of go_masks $thread) samples of the $thread thread with $clock"
        done
    done
}

test_programs_may_forbid_themselves_things() {
    for clock in $clocks; do
        for what in tsc filter; do
            for way in libc syscall; do
                unharmed "$clock" forbids $what $way
                [ "$(cat stdout)" = lives ] || fail "$what by $way says: $(cat stdout)"
            done
        done
    done
    # It ends its only thread, and not the process.
    for clock in cpu perf; do
        for way in libc syscall; do
            unharmed $clock forbids strict $way
            [ "$(cat stdout)" = lives ] || fail "strict by $way says: $(cat stdout)"
        done
    done
}

# What a sample takes is on its list.
test_sampling_goes_on_behind_a_filter() {
    for how in "" again; do
        for clock in cpu perf; do
            # shellcheck disable=SC2086
            unharmed $clock confined $how
            [ "$(cat stdout)" = lives ] || fail "with $clock it says: $(cat stdout)"
            for function in work_before work_behind work_as_first; do
                has_function confined $function || fail "no $function with $clock"
            done
        done
    done
    unharmed cpu confined few
    [ "$(cat stdout)" = lives ] || fail "it says: $(cat stdout)"
    unharmed cpu confined
    expect 0 "$profctl" report out.json
    says 'seccomp filter is in place, behind which threads share a timer' stdout
}

test_a_filter_of_a_child_that_borrows_the_memory_is_its_own() {
    for clock in cpu perf; do
        unharmed $clock confined lends
        [ "$(cat stdout)" = lives ] || fail "with $clock it says: $(cat stdout)"
        has_function confined work_as_first || fail "sampling has ended with $clock"
    done
}

# The first one leaves its thread alone with it; threads of ours would be met by the second.
test_a_filter_for_all_threads_may_come_after_another() {
    for how in allows together; do
        for clock in $clocks; do
            unharmed "$clock" confined $how
            [ "$(cat stdout)" = lives ] || fail "with $clock it says: $(cat stdout)"
        done
    done
}

test_whoever_asks_for_filters_sets_none() {
    for clock in $clocks; do
        unharmed "$clock" confined asks
        [ "$(cat stdout)" = lives ] || fail "with $clock it says: $(cat stdout)"
    done
    unharmed cpu confined asks
    has_function confined work_behind || fail "sampling has ended"
}

# The addresses are the kernel's to refuse.
test_filters_that_cannot_be_read_are_errors() {
    for clock in $clocks; do
        unharmed "$clock" confined wrong
        [ "$(cat stdout)" = lives ] || fail "with $clock it says: $(cat stdout)"
    done
}

# Those that the agent could use, with calls that the program makes itself.
test_signals_may_be_used_behind_a_filter() {
    expect 0 "$programs/confined" signals
    for clock in cpu perf; do
        unharmed $clock confined signals
        [ "$(cat stdout)" = lives ] || fail "with $clock it says: $(cat stdout)"
        has_function confined work_with_signals || fail "is not sampled with $clock"
    done
}

test_threads_may_be_made_behind_a_filter() {
    expect 0 "$programs/thread_behind_filter"
    for clock in $clocks; do
        unharmed "$clock" thread_behind_filter
    done
}

# is_sampled_for MS: at least so much of the program's CPU time is in samples.
is_sampled_for() {
    expect 0 "$profctl" report --json out.json
    grep -o '"cpuMs":[0-9.]*,"notSampledMs":[0-9.]*' stdout | tr -c '0-9.\n' ' ' |
        awk -v least="$1" '{ exit !($1 - $2 >= least) }' || fail "less than $1 ms are sampled"
}

test_without_time_stamps_sampling_goes_on() {
    unharmed cpu forbids tsc libc
    is_sampled_for 240
    has_function forbids 'at work'
}

test_who_asks_for_filters_has_set_none() {
    for way in libc syscall; do
        unharmed cpu forbids question $way
        is_sampled_for 240
        expect 0 "$profctl" report out.json
        refute grep -q 'seccomp filter' stdout
    done
}

test_a_program_may_sample_itself() {
    for clock in $clocks; do
        unharmed "$clock" own_profiler
        has_function own_profiler burn_outer
    done
}

# timers WHEN: how many the program said that it had.
timers() {
    sed -n "s/^$1 //p" stdout
}

test_timers_end_with_their_threads() {
    unharmed cpu timers_left 50
    [ "$(timers before)" -ge 1 ] || fail "the main thread has none"
    [ "$(timers meanwhile)" -eq $(($(timers before) + 50)) ] || fail "$(timers meanwhile) timers meanwhile"
    [ "$(timers afterwards)" -eq "$(timers before)" ] || fail "$(timers afterwards) timers afterwards"
    unharmed wall timers_left 50
    [ "$(timers meanwhile)" -eq 0 ] || fail "$(timers meanwhile) timers meanwhile"
}

test_handlers_may_fork() {
    expect 0 "$programs/forks_in_handler"
    for clock in $clocks; do
        unharmed "$clock" forks_in_handler
    done
}

test_a_thread_that_ends_unseen_leaves_no_timer() {
    expect 0 "$programs/silent_end"
    for clock in $clocks; do
        unharmed "$clock" silent_end
    done
}

# With the signal that the user chose, which the program uses as well.
test_handlers_block_what_they_were_to() {
    expect 0 "$programs/nested_handler"
    for clock in $clocks; do
        PROFD_SIGNAL=USR1 unharmed "$clock" nested_handler
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

test_a_program_behind_a_filter_lives_and_so_do_its_children() {
    expect 0 "$programs/behind_filter"
    expect 0 env PROFD_DISABLE=1 "$programs/behind_filter"
    for clock in cpu perf wall; do
        expect 0 "$profctl" run --clock $clock -o out.json -- "$programs/behind_filter"
    done
}

# The address is the kernel's to refuse.
test_a_wrong_address_for_an_alternate_stack_is_an_error() {
    command -v python3 >/dev/null || skip "needs python3"
    expect 0 "$profctl" run -o out.json -- python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
assert libc.sigaltstack(None, ctypes.c_void_p(8)) == -1
assert ctypes.get_errno() == 14'
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
    wait_until test -s n
    [ "$(find "/proc/$background/task" -mindepth 1 -maxdepth 1 | wc -l)" -eq 1 ]
    expect 0 "$profctl" start --clock wall
    has_wall_clock() { "$profctl" --json status | grep -q '"clock": *"wall"'; }
    wait_until has_wall_clock
    [ "$(find "/proc/$background/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt 1 ]
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

run_tests "$@"
