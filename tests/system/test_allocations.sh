#!/bin/bash
# Allocations: sampled with their stacks, whoever's malloc it is.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

hooks=$build/lib/profd/libprofd-malloc.so

# allocations_of FUNCTION: the sizes of sampled allocations that it made, added up.
allocations_of() {
    awk -F'\t' -v function_name="$1" '
        $1 == "allocation" && $4 > 0 && index($7, function_name " (") == 1 { sum += $4 }
        END { printf "%.0f\n", sum }' facts
}

# Every end that is recorded belongs to an allocation of the same thread, address and size.
ends_are_matched() {
    awk -F'\t' '
        $1 != "allocation" { next }
        $4 > 0 { live[$3, $5] = $4; next }
        live[$3, $5] != -$4 { print "# free without allocation: " $0; bad = 1 }
        { delete live[$3, $5]; ends++ }
        END { exit bad || ends == 0 }' facts || fail "frees that nobody allocated, or none at all"
}

# roughly WHAT GOT WANTED: within a half, which is four times the deviation of the least of them.
roughly() {
    awk -v got="$2" -v wanted="$3" 'BEGIN { exit !(got > wanted / 2 && got < wanted * 3 / 2) }' ||
        fail "$1: $2 instead of about $3"
}

has_allocations() {
    [ "$(grep -c '^allocation' facts)" -ge 20 ] || fail "few allocations: $(grep -c '^allocation' facts)"
}

log_of() {
    meta_of "$1" profd.log
}

test_are_sampled_with_their_stacks_and_matched() {
    expect 0 "$profctl" run -f stacks,nativeallocs -o out.json -- "$programs/allocator" 300
    read_facts out.json
    ends_are_matched
    # 300 rounds of 512 pieces; what a sample stands for adds up to what there was.
    roughly "allocated small" "$(allocations_of allocate_small)" $((300 * 512 * 200))
    roughly "allocated large" "$(allocations_of allocate_large)" $((300 * 512 * 5000))
    roughly "grown" "$(allocations_of grow)" $((300 * 512 * 400))
    grep -q '^allocation.*	-.*	release (' facts
    roughly "kept" "$(awk -F'\t' '$1 == "allocation" { sum += $4 } END { print sum }' facts)" $((300 * 100000))
}

test_a_free_is_shown_where_its_allocation_is() {
    expect 0 "$profctl" run -f stacks,nativeallocs -o out.json -- "$programs/allocator" 1
    read_facts out.json
    # 20 MB that the main thread allocated and another one freed.
    awk -F'\t' '$1 == "allocation" && $4 == 20 * 1024 * 1024 && $3 == "GeckoMain" { address = $5; by = $6 }
        $1 == "allocation" && $4 == -20 * 1024 * 1024 && $3 == "GeckoMain" && $5 == address && $6 != by { found = 1 }
        END { exit !found }' facts
}

test_nothing_is_hooked_unless_asked_for() {
    expect 0 "$profctl" run -o out.json -- sh -c 'cat /proc/self/maps; echo "$LD_PRELOAD"'
    refute grep -q libprofd-malloc stdout
    expect 0 "$profctl" run -f nativeallocs -o out.json -- sh -c 'cat /proc/self/maps'
    grep -q libprofd-malloc stdout
}

test_a_session_that_comes_later_says_why_there_are_none() {
    export WITH_IDLE_THREAD=1
    start_profd -- "$programs/busy" 60 ready
    wait_until test -s ready
    "$profctl" start -f stacks,nativeallocs >/dev/null
    wait_until test -s ready
    "$profctl" capture -o out.json >/dev/null 2>stderr
    gzip -cdf out.json | grep -q 'allocations are not recorded: libprofd-malloc.so is not loaded'
}

# What it takes cannot be begun where a program of one thread works, only where it waits.
test_a_session_that_comes_later_to_one_thread_says_why_there_are_none() {
    start_profd -- "$programs/busy" 60 ready
    wait_until test -s ready
    "$profctl" start -f stacks,nativeallocs >/dev/null
    captured() {
        "$profctl" capture -o out.json 2>stderr && gzip -cdf out.json | grep -q 'allocations are not recorded: the process has one thread'
    }
    wait_until captured
}

test_a_program_that_has_the_hooks_can_be_asked_later() {
    start_profd
    LD_PRELOAD=$build/lib/profd/libprofd-malloc.so:$build/lib/libprofd.so in_background "$programs/allocates_for_ever"
    "$profctl" start -f stacks,nativeallocs >/dev/null
    captured() {
        "$profctl" capture -o out.json && gzip -cdf out.json | "$programs/capture_facts" >facts &&
            [ "$(grep -c '^allocation' facts)" -ge 20 ]
    }
    wait_until captured
    "$profctl" stop >/dev/null
    is_running "$background"
}

# counted PROCESS: bytes and operations of the memory counter of the processes called so.
counted() {
    awk -F'\t' -v process="$1" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "counter" && ($2 in pids) && $3 == "malloc" && $4 == "Memory" { print $5, $6 }' facts
}

# is_counted PROCESS KEPT CALLS: bytes within a third, since allocators round up and others keep
# something, too; calls within a hundredth.
is_counted() {
    counted "$1" | awk -v kept="$2" -v calls="$3" '
        { found = $1 >= kept && $1 < kept * 4 / 3 + 200000 && $2 >= calls && $2 < calls * 1.01 + 1000 }
        END { exit !found }' || fail "counted $(counted "$1") instead of $2 $3"
}

test_memory_is_a_counter_of_what_is_not_freed() {
    expect 0 "$profctl" run -f memory -o out.json -- "$programs/allocator" 100
    read_facts out.json
    is_counted allocator $((100 * 100000)) $((100 * 512 * 5 + 100))
    refute grep -q '^allocation' facts
    # Both at once, and by other calls than malloc.
    expect 0 "$profctl" run -f memory,nativeallocs -o out.json -- "$programs/allocator" 100
    read_facts out.json
    is_counted allocator $((100 * 100000)) $((100 * 512 * 5 + 100))
    has_allocations
}

test_a_fork_counts_and_samples_its_own() {
    expect 0 "$profctl" run -f memory,nativeallocs -o out.json -- "$programs/forks_allocators"
    read_facts out.json
    [ "$(process_count forks_allocators)" -eq 5 ]
    ends_are_matched
    # Each of the children allocated 20 MB in all and freed it; what the parent had, they did not.
    [ "$(grep -c '^allocation' facts)" -ge 40 ]
    [ "$(counted forks_allocators | awk '$2 >= 20000' | wc -l)" -ge 5 ]
}

# Each draws its own samples: of 80 MB some 80, give or take nine.
test_children_of_one_parent_are_not_sampled_alike() {
    expect 0 "$profctl" run -f stacks,nativeallocs -o out.json -- "$programs/forks_alike"
    read_facts out.json
    [ "$(process_count forks_alike)" -eq 9 ]
    awk -F'\t' '$1 == "allocation" && $4 > 0 { samples[$2]++ }
        END { for (pid in samples) if (++alike[samples[pid]] >= 5) bad = 1; exit bad }' facts ||
        fail "$(grep -c '^allocation' facts) samples, as many in each"
}

# mapped_is MB CALLS: of one of the processes called mapper, exactly.
mapped_is() {
    awk -F'\t' -v bytes=$(($1 * 1024 * 1024)) -v calls="$2" '
        $1 == "process" && $3 == "mapper" { pids[$2] = 1 }
        $1 == "counter" && ($2 in pids) && $3 == "mapped" && $4 == "Memory" {
            found += $5 == bytes && $6 == calls
            all = all " " $5 "/" $6
        }
        END { if (found != 1) print "# mapped:" all; exit found != 1 }' facts || fail "not $1 MB in $2 calls"
}

test_what_is_mapped_is_a_counter_of_its_own() {
    expect 0 "$profctl" run -f memory -o out.json -- "$programs/mapper"
    grep -qx "done" stdout
    read_facts out.json
    mapped_is 60 8008
    mapped_is 55 8010
    # The same without anybody who asks.
    LD_PRELOAD=$hooks expect 0 "$programs/mapper"
    grep -qx "done" stdout
}

# operators ALLOCATOR: new and delete are counted once, whether they call malloc or pass it by.
operators() {
    local how
    for how in global local; do
        LD_PRELOAD=$1 expect 0 "$profctl" run -f memory,nativeallocs -o out.json -- "$programs/operators" $how
        grep -qx "done" stdout
        read_facts out.json
        is_counted operators $((2 * 100 * 10000)) $((4 * 20000 - 200))
        has_allocations
        ends_are_matched
    done
}

test_operators_of_cplusplus_are_counted_once() {
    operators ""
}

test_a_program_with_an_allocator_of_its_own_is_left_alone() {
    expect 0 "$profctl" run -f stacks,memory,nativeallocs -o out.json -- "$programs/own_malloc"
    grep -qx "own malloc" stdout
    grep -q 'allocations are not recorded: .*own_malloc' out.json
}

build_forms() {
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    expect 0 c++ -std=c++17 -g -O1 -Wall -Wextra -Werror \
        "$source_dir/tests/system/programs/allocation_forms.cpp" -o allocation_forms
}

test_every_way_to_allocate_is_counted_once_and_failures_are_not() {
    local features
    build_forms
    for features in memory memory,nativeallocs; do
        expect 0 "$profctl" run -f $features -o out.json -- ./allocation_forms
        read_facts out.json
        is_counted allocation_forms 0 "$(awk '$1 == "calls" { print $2 }' stdout)"
    done
}

test_sampling_goes_on_after_absurd_sizes() {
    build_forms
    expect 0 "$profctl" run -f stacks,nativeallocs -o out.json -- ./allocation_forms
    read_facts out.json
    ends_are_matched
    roughly "allocated afterwards" "$(allocations_of allocate_afterwards)" $((20 * 5000 * 3000))
    awk -F'\t' '$1 == "allocation" && $4 > 100000000 { print "# " $0; bad = 1 } END { exit bad }' facts
}

# under ALLOCATOR: the program with another allocator, preloaded behind and before the hooks.
under() {
    local allocator=$1
    [ -e "$allocator" ] || return 0
    operators "$allocator"
    LD_PRELOAD=$allocator expect 0 "$profctl" run -f stacks,nativeallocs \
        -o out.json -- "$programs/allocator" 100
    grep -q '^allocated' stdout
    read_facts out.json
    has_allocations
    ends_are_matched
    roughly "allocated large" "$(allocations_of allocate_large)" $((100 * 512 * 5000))
    # In front of the hooks it takes everything; the program runs all the same, and that is said.
    expect 0 env LD_PRELOAD="$allocator:$hooks:$build/lib/libprofd.so" PROFD_STARTUP=1 \
        PROFD_STARTUP_FEATURES=stacks,nativeallocs PROFD_SHUTDOWN="$PWD/alone.json" "$programs/allocator" 20
    grep -q '^allocated' stdout
    grep -q "allocations are not recorded: .*${allocator##*/}" alone.json
    tested="$tested ${allocator##*/}"
}

test_other_allocators_are_called_as_they_would_be() {
    [[ $PROFD_BUILD == */plain ]] || skip "a sanitizer is an allocator of its own kind"
    local folder=/usr/lib/x86_64-linux-gnu tested=
    under $folder/libjemalloc.so.2
    under $folder/libtcmalloc_minimal.so.4
    under $folder/libmimalloc.so.2.0
    [ -n "$tested" ] || skip "no other allocator is installed"
}

run_tests "$@"
