#!/bin/bash
# Sampling by itself: programs may wait for it, and it pauses without the rest of the session.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

last_line_is() {
    [ "$(tail -n1 outcomes)" = "$1" ]
}

test_programs_wait_for_samplings() {
    expect 0 "$programs/after_sampling"
    says 'No such process' stdout
    expect 0 "$profctl" run -o out.json -- "$programs/after_sampling"
    says completed stdout
}

test_sampling_pauses_alone() {
    start_profd
    # shellcheck disable=SC2016 # the shell that is started expands them
    in_background sh -c 'tail -f /dev/null | "$0" forever >outcomes' "$programs/after_sampling"
    touch outcomes
    expect 0 "$profctl" start
    wait_until grep -qx completed outcomes
    expect 0 "$profctl" pause --sampling
    wait_until last_line_is paused
    expect 1 "$profctl" pause --sampling
    says 'sampling is already paused' stderr
    expect 0 "$profctl" status
    says 'active without sampling' stdout
    expect 0 "$profctl" pause
    expect 0 "$profctl" resume
    expect 0 "$profctl" status
    says 'active without sampling' stdout
    expect 0 "$profctl" resume --sampling
    wait_until last_line_is completed
    expect 1 "$profctl" resume --sampling
    says 'sampling is not paused' stderr
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_function after_sampling 'not sampled'
    grep -qF 'sampling is paused' out.json || fail "the log does not tell of the pause"
    grep -qF 'sampling resumed' out.json || fail "the log does not tell of its end"
    # Viewers show it as a marker of the main thread, and an ended one of some time.
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "Sampling paused" { print $3, ($6 > $5) }' facts)" = 'GeckoMain 1' ] ||
        fail "$(grep 'Sampling paused' facts)"
    expect 0 "$profctl" pause --sampling
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(grep -c $'^marker\t.*\tGeckoMain\tSampling paused\t' facts)" -eq 2 ]
    # One that lasted to the end of its session is none of the next.
    expect 0 "$profctl" stop
    expect 0 "$profctl" start
    wait_until last_line_is completed
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    refute grep -q 'Sampling paused' facts
}

test_a_program_that_joins_is_not_sampled_either() {
    start_profd
    expect 0 "$profctl" start
    expect 0 "$profctl" pause --sampling
    # shellcheck disable=SC2016 # the shell that is started expands them
    in_background sh -c 'tail -f /dev/null | "$0" forever >outcomes' "$programs/after_sampling"
    touch outcomes
    wait_until last_line_is paused
    expect 0 "$profctl" stop
    expect 0 "$profctl" start
    wait_until last_line_is completed
}

# What it uses meanwhile is nobody's; what it used before was told before.
test_a_pause_counts_no_cpu_time_twice() {
    start_profd
    expect 0 "$profctl" start --clock cpu
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" 1 pid
    wait_until test -s pid
    expect 0 "$profctl" pause --sampling
    expect 0 "$profctl" resume --sampling
    wait "$background"
    expect 0 "$profctl" capture -o out.json
    expect 0 "$profctl" report --json out.json
    grep -qE '"cpuMs":(9[0-9][0-9]|10[0-9][0-9])\.' stdout || fail "$(grep -o '"cpuMs":[^,]*' stdout | head -n 1) of 1000"
}

# In a stripped program, functions that the tables of exceptions do not know lie between such that they do.
test_code_that_no_table_describes_is_not_its_neighbours() {
    cat >gap.c <<'END'
void undescribed(unsigned long);
__asm__(".text\n.globl undescribed\n.type undescribed, @function\nundescribed:\n1: dec %rdi\n jnz 1b\n ret\n"
        ".size undescribed, . - undescribed\n.skip 64, 0x90\n");
int main(void)
{
    undescribed(1000000000ul);
    return 0;
}
END
    ${CC:-gcc} -O2 -o gap gap.c
    strip -o stripped gap
    expect 0 "$profctl" run -o out.json -- ./stripped
    expect 0 "$profctl" report out.json
    local start address
    start=$((16#$(nm gap | awk '$3 == "undescribed" { print $1 }')))
    address=$(($(awk '/\(in stripped\)/ { print $(NF - 2); exit }' stdout)))
    [ "$address" -ge "$start" ] && [ "$address" -lt $((start + 16)) ] || fail "$address is not at $start"
}

run_tests "$@"
