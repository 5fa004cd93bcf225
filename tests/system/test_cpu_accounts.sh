#!/bin/bash
# CPU time of processes against the kernel's own accounts.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# sum_of PROCESS: CPU time of all that are called so, in ms.
sum_of() {
    meta_of "$1" profd.cpuTime | awk '{ sum += $1 } END { printf "%.3f\n", sum }'
}

# about GOT WANTED: within 5 % and 10 ms, which is what writing down two accounts at two moments takes.
about() {
    awk -v got="$1" -v wanted="$2" 'BEGIN {
        difference = got > wanted ? got - wanted : wanted - got
        exit difference > wanted * 0.05 + 10 }' || fail "$1 ms instead of $2"
}

# from TO…: process times in ms, sorted, are at least those, and at most 60 ms more.
has_times() {
    meta_of "$1" profd.cpuTime | sort -n >got
    shift
    printf '%s\n' "$@" >wanted
    [ "$(wc -l <got)" -eq $# ] || fail "$(wc -l <got) processes instead of $#: $(xargs <got)"
    paste got wanted | awk '$1 < $2 || $1 > $2 + 60 { bad = 1 } END { exit bad }' ||
        fail "$(xargs <got) instead of $(xargs <wanted)"
}

# times_ms LINE FILE: what the builtin `times` wrote there, in ms.
times_ms() {
    sed -n "$1p" "$2" | tr 'ms' '  ' | awk '{ printf "%.3f\n", ($1 * 60 + $2 + $3 * 60 + $4) * 1000 }'
}

# report_number KEY: of the report as a whole.
report_number() {
    "$profctl" --json report out.json | grep -oE "\"$1\":[0-9.e+-]+" | head -n 1 | cut -d: -f2
}

# Parents wait for children that used CPU, or do not; nobody is charged for another.
test_each_has_its_own() {
    # The pipe is closed when the last of them has ended.
    expect 0 "$profctl" run -o out.json -- bash -c "set -o pipefail; '$programs/accounts' | cat"
    read_facts out.json
    has_times accounts 50 100 150 200 300
    refute grep -qvx end <(meta_of accounts profd.cpuTimeUntil)
    expect 0 "$profctl" --json report out.json
    says '"process":"accounts","processes":5' stdout
}

# Too short for a sample, and whoever waits for them, this script, has no agent: they say themselves what they used, also
# when another program was there before.
test_brief_ones_that_nobody_of_ours_waits_for_have_their_own() {
    start_profd --always 20Hz
    for _ in 1 2 3 4 5; do
        LD_PRELOAD=$build/lib/libprofd.so "$programs/accounts" 30
        LD_PRELOAD=$build/lib/libprofd.so env "$programs/accounts" 30
    done
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_times accounts 30 30 30 30 30 30 30 30 30 30
}

test_static_programs_have_their_own() {
    cc -static -O1 -o still "$source_dir/tests/system/programs/accounts.c" ||
        skip "no static C library"
    # shellcheck disable=SC2016
    expect 0 "$profctl" run -o out.json -- bash -c './still; ./still 120; true'
    read_facts out.json
    # Both were waited for by the shell, the first one's children were not.
    for least in 120 200; do
        meta_of still profd.cpuTime |
            awk -v least=$least '$1 >= least && $1 < least + 60 { found = 1 } END { exit !found }' ||
            fail "none with $least among $(meta_of still profd.cpuTime | xargs)"
    done
    refute grep -qvx not-profiled <(meta_of still profd.verdict)
    expect 0 "$profctl" report out.json
    says 'not profiled +[1-9][0-9.]* ms' stdout
    says '× still: [1-9][0-9.]* ms CPU' stdout
}

# Far too short for samples: what all of them used is in the report nevertheless.
test_short_commands_add_up() {
    local children own
    expect 0 "$profctl" run -o out.json -- \
        bash -c 'for i in $(seq 300); do /bin/true; done; times >times'
    own=$(times_ms 1 times) children=$(times_ms 2 times)
    read_facts out.json
    [ "$(process_count true)" -eq 300 ] || fail "$(process_count true) processes"
    about "$(awk -v a="$(sum_of true)" -v b="$(sum_of seq)" 'BEGIN { print a + b }')" "$children"
    about "$(sum_of bash)" "$own"
    about "$(report_number cpuMs)" "$(awk -v a="$own" -v b="$children" 'BEGIN { print a + b }')"
    expect 0 "$profctl" report out.json
    says '^true \(300 processes\): [0-9.]+ m?s CPU, ' stdout
    says '\(not sampled\)' stdout
}

# life_of COMMAND: its CPU time and its time on the wall in ms, as `report --processes` has printed them.
life_of() {
    awk -v command="$1" 'substr($0, length($0) - length(command) + 1) == command && $3 ~ /^[0-9]+$/ { print $1, $2 }' stdout
}

# A shell works, and then becomes a program that works.
test_programs_of_one_process_have_their_own() {
    local out shell program
    cat >script <<SH
( for ((i = 0; i < 100000; i++)); do :; done; times >times; exec '$programs/accounts' 400 )
true
SH
    for out in out.json out.profd; do
        expect 0 "$profctl" run -o "$out" -- bash script
        expect 0 "$profctl" report --processes "$out"
        life_of "bash script" >lives
        [ "$(wc -l <lives)" -eq 2 ] || fail "$(wc -l <lives) programs instead of 2"
        shell=$(sort -n lives | tail -n 1 | cut -d' ' -f1)
        about "$shell" "$(times_ms 1 times)"
        # It works until the process has used so much.
        program=$(life_of "$programs/accounts 400" | cut -d' ' -f1)
        about "$(awk -v a="$shell" -v b="$program" 'BEGIN { print a + b }')" 400
        expect 0 "$profctl" --json report --by process "$out"
        # The outer shell, which used the least, is another process.
        about "$(grep -oE '"selfMs":[0-9.]+' stdout | head -n 2 | awk -F: '{ sum += $2 } END { print sum }')" 400
    done
}

# As above, in a session that was there before the program, and asked for nothing in its environment.
test_a_program_that_becomes_another_counts_once_in_any_session() {
    start_profd
    expect 0 "$profctl" start
    expect 0 "$programs/exec_chain" 1 "$programs/busy" 0.1
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count exec_chain)" -eq 2 ]
    # Twice 50, and 100, and what it takes to begin a program, thrice; not 50 twice.
    awk -v got="$(report_number cpuMs)" 'BEGIN { exit !(got >= 195 && got < 245) }' ||
        fail "$(report_number cpuMs) ms instead of 200"
}

# There nobody tells profd of it.
test_a_program_that_becomes_another_counts_once_in_a_pid_namespace() {
    unshare -pf true 2>/dev/null || skip "may not make pid namespaces"
    # `accounts` works until its process has used so much.
    expect 0 "$profctl" run -o out.json -- \
        unshare -pf bash -c "'$programs/accounts' 200; for ((i = 0; i < 20000; i++)); do :; done; exec '$programs/accounts' 400"
    read_facts out.json
    about "$(report_number cpuMs)" 600
}

# Most of a short program's life is over when its agent begins.
test_a_life_begins_before_the_agent() {
    expect 0 "$profctl" run -o out.json -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
    read_facts out.json
    paste <(meta_of true profd.processStartTime) <(meta_of true profd.startTime) >starts
    [ "$(wc -l <starts)" -eq 10 ] || fail "$(wc -l <starts) programs instead of 10"
    awk '$1 == "null" || $1 >= $2 { bad = 1 } END { exit bad }' starts || fail "$(xargs <starts)"
}

# What was before the session is not in its capture.
test_what_was_used_before_is_not_shown() {
    start_profd -- "$programs/busy" 60 pid
    wait_until test -s pid
    children+=("$(cat pid)")
    wait_until has_used "$(cat pid)" 100
    expect 0 "$profctl" start
    wait_until eval '"$profctl" top --once | grep -q burn_inner'
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    meta_of busy profd.cpuTimeBefore | awk '{ exit !($1 >= 1000) }' ||
        fail "before: $(meta_of busy profd.cpuTimeBefore)"
    [ "$(meta_of busy profd.cpuTimeUntil)" = capture ]
    awk -v all="$(report_number cpuMs)" -v whole="$(sum_of busy)" \
        'BEGIN { exit !(all <= whole - 1000 + 10) }' || fail "$(report_number cpuMs) of $(sum_of busy)"
}

# has_used PID TICKS
has_used() {
    [ "$(awk '{ print $14 + $15 }' "/proc/$1/stat")" -ge "$2" ]
}

test_who_was_killed_or_failed_is_in_the_report() {
    expect 0 "$profctl" run -o out.json -- bash -c "
        '$programs/accounts' 10 -9; '$programs/accounts' 10 -9; '$programs/accounts' 10 -11
        '$programs/accounts' 10 3; '$programs/accounts' 10 0; true"
    expect 0 "$profctl" report out.json
    says '2 × accounts: killed by SIGKILL' stdout
    says '1 × accounts: crashed by SIGSEGV' stdout
    says '1 × accounts: exited with status 3' stdout
    refute grep -q 'status 0' stdout
    expect 0 "$profctl" --json report out.json
    says '{"process":"accounts","verdict":"killed","code":9,"signal":"SIGKILL","processes":2}' stdout
}

# thread_ms NAME: CPU time of the thread called so, as the last report by thread has it.
thread_ms() {
    sed 's/{"name"/\n&/g' stdout | grep -F ": $1\"" | grep -oE '"selfMs":[0-9.]+' | cut -d: -f2
}

# Behind the limit each thread was refused a timer, but one for all of them was made before.
test_threads_without_timers_have_their_own() {
    local ms
    expect 0 "$profctl" run --clock cpu -o out.json -- "$programs/no_timers"
    expect 0 "$profctl" report out.json
    says '^clock: cpu, .*; not as requested: no timers are left for more threads \(ulimit -i\), which share one$' stdout
    grep -q '^ .* work_for' stdout
    expect 0 "$profctl" --json report --by thread out.json
    for ms in 300 600 900; do
        about "$(thread_ms "worker $ms")" $ms
    done
}

# A thread that has the signals of samples for itself is not interrupted, but counts.
test_threads_that_keep_the_signals_have_their_own() {
    local clock
    for clock in cpu perf; do
        expect 0 "$profctl" run --clock $clock -o out.json -- "$programs/keeps_signals"
        expect 0 "$profctl" --json report --by thread out.json
        about "$(thread_ms keeper)" 600
    done
}

# Whoever waits by calls that nobody sees: what is known is told, and marked.
test_who_is_reaped_by_nobody_of_ours_is_marked() {
    expect 0 "$profctl" run -o out.json -- "$programs/accounts" 10 0 raw
    read_facts out.json
    # profd may be fast enough to see it before its parent does.
    # A child that recorded nothing has no CPU time.
    awk -F'\t' '
        $1 == "process" && $3 == "accounts" { until[$2] = "" }
        $1 == "meta" && $3 == "profd.cpuTimeUntil" && ($2 in until) { until[$2] = $4 }
        $1 == "meta" && $3 == "profd.cpuTime" { time[$2] = $4 }
        END { for (pid in until) print until[pid] "\t" time[pid] }' facts >untils
    [ "$(grep -cE '^(end	[0-9.]+|last record	([0-9.]+|null)?)$' untils)" -eq 2 ] || fail "$(cat untils)"
    grep -qE '^end	[0-9]{1,2}\.' untils # the parent, which used next to nothing
}

# profd stands still until the child was reaped: what the child recorded is a lower bound, and all but its last moments.
test_what_nobody_saw_the_end_of_used_what_it_recorded() {
    local out known
    for out in out.json out.profd; do
        # shellcheck disable=SC2016
        expect 0 "$profctl" run --clock cpu -o "$out" -- \
            bash -c 'kill -STOP $PPID; "$1" 200 0 raw; kill -CONT $PPID' - "$programs/accounts"
        expect 0 "$profctl" report --processes "$out"
        known=$(grep -E 'accounts 200 0 raw$' stdout | grep -oE '>=[0-9.]+' | tr -d '>=')
        awk -v known="$known" 'BEGIN { exit !(known >= 180 && known <= 210) }' || fail "$(cat stdout)"
        grep -qE '^ +2 +>=[0-9.]+ .* accounts$' stdout
        expect 0 "$profctl" --json report --processes "$out"
        says '"cpuMs":[0-9.]+,"cpuIsLeast":true' stdout
    done
    read_facts out.json
    paste <(meta_of accounts profd.cpuTimeUntil) <(meta_of accounts profd.cpuTime) >untils
    grep -qE '^last record	(1[89]|20)[0-9]\.' untils || fail "$(cat untils)"
}

run_tests "$@"
