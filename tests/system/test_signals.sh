#!/bin/bash
# The signals, handlers and masks of a program are its own.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=unharmed.sh
. "$(dirname "$0")/unharmed.sh"

test_waits_are_cut_short_by_handlers_that_block_all_signals() {
    for clock in $clocks; do
        unharmed "$clock" masked_handler
        unharmed "$clock" masked_handler no-new-privs
        unharmed "$clock" masked_handler SIGURG
        unharmed "$clock" masked_handler SIGURG SIGWINCH
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
    for way in exec fork vfork spawn handler; do
        expect 0 env PROFD_DISABLE=1 "$programs/hands_on" $way
        own_signals stdout >bare
        for clock in $clocks; do
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

# Also with the signal that the user chose.
test_signals_of_the_program_arrive() {
    for way in signalfd all allbynumber allurgent sigtimedwait handler unblocking thread reading; do
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

test_who_sets_masks_by_system_calls_is_interrupted_and_sampled() {
    for clock in $clocks; do
        unharmed "$clock" go_masks
        for thread in first second; do
            [ "$(samples_of go_masks $thread)" -gt 10 ] ||
                fail "$(samples_of go_masks $thread) samples of the $thread thread with $clock"
        done
    done
}

test_a_program_may_sample_itself() {
    for clock in $clocks; do
        unharmed "$clock" own_profiler
        has_function own_profiler burn_outer
    done
}

test_handlers_may_fork() {
    for clock in $clocks; do
        unharmed "$clock" forks_in_handler
    done
}

test_relatives_of_signal_are_as_they_were() {
    for clock in $clocks; do
        unharmed "$clock" simple_signals
        for way in signal bsd_signal ssignal sigset sysv_signal by_number held ignored; do
            has_function simple_signals "work_with_$way"
        done
    done
    PROFD_SIGNAL=URG unharmed cpu simple_signals
}

# With the signal that the user chose, which the program uses as well.
test_handlers_block_what_they_were_to() {
    for clock in $clocks; do
        PROFD_SIGNAL=USR1 unharmed "$clock" nested_handler
    done
}

test_a_wait_that_a_handler_cuts_short_fails_at_any_moment() {
    for clock in cpu wall perf; do
        unharmed $clock cuts_waits
    done
}

run_tests "$@"
