#!/bin/bash
# Programs that forbid themselves system calls live and are sampled as far as that goes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=unharmed.sh
. "$(dirname "$0")/unharmed.sh"

# lives CLOCK PROGRAM [ARGUMENT…]: it is unharmed, and says so.
lives() {
    unharmed "$@"
    [ "$(cat stdout)" = lives ] || fail "$* says: $(cat stdout)"
}

test_programs_may_forbid_themselves_things() {
    for clock in $clocks; do
        for what in tsc filter; do
            for way in libc syscall; do
                lives "$clock" forbids $what $way
            done
        done
    done
    # It ends its only thread, and not the process.
    for clock in cpu perf; do
        for way in libc syscall; do
            lives $clock forbids strict $way
        done
    done
}

# What a sample takes is on its list.
test_sampling_goes_on_behind_a_filter() {
    for how in "" again; do
        for clock in cpu perf; do
            # shellcheck disable=SC2086
            lives $clock confined $how
            for function in work_before work_behind work_as_first; do
                has_function confined $function || fail "no $function with $clock"
            done
        done
    done
    lives cpu confined few
    unharmed cpu confined
    expect 0 "$profctl" report out.json
    says 'seccomp filter is in place, behind which threads share a timer' stdout
}

test_a_filter_of_a_child_that_borrows_the_memory_is_its_own() {
    for clock in cpu perf; do
        lives $clock confined lends
        has_function confined work_as_first || fail "sampling has ended with $clock"
    done
}

# The first one leaves its thread alone with it; threads of ours would be met by the second.
test_a_filter_for_all_threads_may_come_after_another() {
    for how in allows together; do
        for clock in $clocks; do
            lives "$clock" confined $how
        done
    done
}

# To end the agent's threads takes nothing that is out of reach by then.
test_a_program_may_lock_itself_in_and_then_set_a_filter() {
    need_root
    mkdir -p jail
    for clock in $clocks; do
        expect 5 "$profctl" run --clock "$clock" -o out.json -- "$programs/jailed" jail
        read_facts out.json
        has_function jailed burn_outer
    done
}

test_whoever_asks_for_filters_sets_none() {
    for clock in $clocks; do
        lives "$clock" confined asks
    done
    unharmed cpu confined asks
    has_function confined work_behind || fail "sampling has ended"
}

# The addresses are the kernel's to refuse.
test_filters_that_cannot_be_read_are_errors() {
    for clock in $clocks; do
        lives "$clock" confined wrong
    done
}

# Those that the agent could use, with calls that the program makes itself.
test_signals_may_be_used_behind_a_filter() {
    for clock in cpu perf; do
        lives $clock confined signals
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
    unharmed cpu forbids tsc libc 0.15
    is_sampled_for 240
    has_function forbids 'at work'
}

test_who_asks_for_filters_has_set_none() {
    for way in libc syscall; do
        unharmed cpu forbids question $way 0.15
        is_sampled_for 240
        expect 0 "$profctl" report out.json
        refute grep -q 'seccomp filter' stdout
    done
}

test_a_program_behind_a_filter_lives_and_so_do_its_children() {
    expect 0 "$programs/behind_filter"
    expect 0 env PROFD_DISABLE=1 "$programs/behind_filter"
    for clock in cpu perf wall; do
        expect 0 "$profctl" run --clock $clock -o out.json -- "$programs/behind_filter"
    done
}

test_shells_of_a_program_behind_a_filter_live() {
    expect 0 "$programs/shell_behind_filter"
    for clock in $clocks; do
        unharmed "$clock" shell_behind_filter
    done
    # shellcheck disable=SC2016 # the shell there has it
    wait='sleep 1d & until "$PROFCTL" status | grep -q "sleep; .* filter"; do sleep 0.1; done; kill $!'
    PROFCTL=$profctl expect 0 "$profctl" run -o out.json -- "$programs/shell_behind_filter" "$wait"
}

run_tests "$@"
