#!/bin/bash
# Handlers of the program, and ours, have a stack that they fit on.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=unharmed.sh
. "$(dirname "$0")/unharmed.sh"

test_coroutines_on_small_stacks() {
    for clock in $clocks; do
        # What the kernel saves for a signal takes 3.5 KB with AVX-512. So does binding a name at its first use.
        for bytes in 16384 8192 2048; do
            LD_BIND_NOW=1 unharmed "$clock" coroutines $bytes
            has_function coroutines work_in_coroutine
        done
    done
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
    export LD_BIND_NOW=1 # binding a name at its first use takes more of a stack
    for way in '' urgent both filtered section; do
        for clock in $clocks; do
            unharmed "$clock" small_stacks $way
            [ "$way" != section ] || has_function small_stacks work_on_afterwards
        done
    done
}

test_a_handler_on_a_small_stack_may_run_a_program() {
    LD_BIND_NOW=1 unharmed cpu small_stacks runs
    [ "$(process_count true)" -ge 5 ] || fail "$(process_count true) programs"
}

test_a_handler_on_a_small_stack_may_be_left() {
    local clock
    for clock in $clocks; do
        unharmed "$clock" small_stacks left
        has_function small_stacks work_on_afterwards
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

# The address is the kernel's to refuse.
test_a_wrong_address_for_an_alternate_stack_is_an_error() {
    command -v python3 >/dev/null || skip "needs python3"
    expect 0 "$profctl" run -o out.json -- python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
assert libc.sigaltstack(None, ctypes.c_void_p(8)) == -1
assert ctypes.get_errno() == 14'
}

run_tests "$@"
