#!/bin/bash
# Counters of programs: nothing that is counted is lost, whoever counts and whatever becomes of them.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

record() {
    expect 0 "$profctl" run --features stacks,counters -o out.json -- "$programs/counting" "$@"
    read_facts out.json
}

# claim COUNTER COUNT OPERATIONS: what the program's counter stands at in the end.
claim() {
    [ "$(counted counting "$1")" = "$2 $3" ] || fail "$1 is not $2 ($3) but $(counted counting "$1")"
}

make_library() {
    cat >library.c <<'END'
#include <profd.h>
PROFD_COUNTER(there, "there", "Work", "counted in a library");
void count_there(void);
void count_there(void) { profd_counter_add(&there, 10); }
END
    cc -shared -fPIC -I"$source_dir/child-agent/include" library.c -o library.so \
        -L"$build/lib" -Wl,-rpath,"$build/lib" -lprofd
}

test_all_threads_and_declarations_count() {
    record 5000
    claim items 1020000 20001
    claim held 20000 40000
    claim early 7 1
}

test_counters_of_a_library_that_goes_stay() {
    make_library
    record 1 "$scratch/library.so"
    claim there 30 3
}

test_too_many_counters_are_counted() {
    record 1 many
    claim 'many 7' 7 1
    [ "$(grep -c '^counter' facts)" -eq 250 ] || fail "$(grep -c '^counter' facts) counters"
    [ "$(meta_of counting profd.events.too-many-counters)" -eq 53 ] ||
        fail "$(meta_of counting profd.events.too-many-counters) refused"
}

test_children_count_for_themselves() {
    record 1000 fork
    counted counting items | sort >counts
    printf '%s\n' "1 1" "1004000 4001" | diff - counts || fail "counted: $(xargs <counts)"
}

# at_least PROCESS COUNTER COUNT: what is between the last tick and the end is not seen.
at_least() {
    [ "$(counted "$1" "$2" | cut -d' ' -f1)" -ge "$3" ] || fail "$2 of $1 is not $3 but $(counted "$1" "$2")"
}

test_cpu_time_and_memory_of_a_process() {
    expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.3
    read_facts out.json
    at_least busy processCPU 250000
    at_least busy processMemory 4096
}

# Of the hundred waits of a program a few may be over before the processor was given up; it stays, so
# that the looks get to all of them, however busy the machine is.
has_counted_waits() {
    "$profctl" capture -o out.json && read_facts out.json &&
        (at_least counting 'Context switches, voluntary' 70)
}

test_context_switches() {
    start_profd -- sh -c "until [ -e go ]; do sleep 0.01; done; exec '$programs/counting' 1 wait stay"
    expect 0 "$profctl" start --features switches
    touch go
    wait_until has_counted_waits
    counted counting 'Context switches, involuntary' | grep -q . || fail "no involuntary switches"
    refute grep -E '^counter.*(processCPU|processMemory)' facts
}

test_memory_that_cannot_be_read_is_said() {
    need_root
    # shellcheck disable=SC2016 # the shell that is started expands them
    expect 0 "$profctl" run -o out.json -- unshare --mount sh -c \
        'mount -t tmpfs none /proc && exec "$0" 0.3' "$programs/busy"
    read_facts out.json
    grep -qF 'process memory is not available' out.json || fail "nobody says so"
    at_least busy processCPU 200000
    (at_least busy processMemory 1) >ignored && fail "it has a value"
    true
}

# Few machines show it, and most of them to root alone.
test_power_is_measured_or_said_to_be_missing() {
    expect 0 "$profctl" run --features stacks,power -o out.json -- "$programs/busy" 0.3
    read_facts out.json
    if [ -r /sys/class/powercap/intel-rapl:0/energy_uj ]; then
        [ -n "$(counted profd 'Power: package-0')" ] || fail "no power"
    else
        grep -qF 'power is not available' out.json || fail "nobody says why there is no power"
    fi
}

# tells_what_it_takes CLOCK COUNT PROGRAM…: at least so often.
tells_what_it_takes() {
    local clock=$1 count=$2 name=$3
    shift 2
    expect 0 "$profctl" run --clock "$clock" -o out.json -- "$programs/$name" "${@:2}"
    read_facts out.json
    [ "$(meta_of "$name" overhead.samplingCount)" -ge "$count" ] || fail "$clock: no overhead: $(grep overhead facts)"
    awk -v most="$(meta_of "$name" overhead.overheadPercentage)" 'BEGIN { exit !(most > 0 && most < 1) }' ||
        fail "$clock: overhead is $(meta_of "$name" overhead.overheadPercentage)"
}

# With the cpu clock it is the thread that looks who tells, and a program of one thread has none.
test_the_sampler_tells_what_it_takes() {
    tells_what_it_takes cpu 3 known_truth busy 0.5
    tells_what_it_takes wall 20 busy 0.5
}

test_without_the_feature_nothing_is_counted() {
    expect 0 "$profctl" run --features stacks,cpu -o out.json -- "$programs/counting" 1000
    read_facts out.json
    refute grep '^counter' facts
}

run_tests "$@"
