#!/bin/bash
# A profiled program behaves as it does alone.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

run_fast() {
    expect 0 "$profctl" run --clock "$clock" --interval 200us -o out.json -- "$@"
    read_facts out.json
}

test_descriptors_are_the_programs_own() {
    run_fast "$programs/close_all"
    has_function close_all burn_outer
}

# With one alone nothing can be handed over; the agent's thread has a table of its own.
test_the_last_descriptor_is_the_programs() {
    run_fast "$programs/last_descriptors" 1
    [ "$clock" = wall ] || grep -q 'had no descriptor left' out.json
    run_fast "$programs/last_descriptors" 2
    has_function last_descriptors burn_outer
}

test_children_without_a_descriptor_live() {
    run_fast "$programs/no_descriptors"
    [ "$(process_count no_descriptors)" -eq 4 ]
    has_function no_descriptors burn_outer
}

# Many of them, since each one has a moment only in which it could lose its connection.
test_descriptors_that_are_closed_first() {
    local count=40
    # shellcheck disable=SC2016
    start_profd -- sh -c 'for i in $(seq "$1"); do "$0" "ran-$i" & done; wait' \
        "$programs/closes_first" $count
    all_ran() { [ "$(find . -name 'ran-*' | wc -l)" -eq $count ]; }
    wait_until all_ran
    expect 0 "$profctl" start --clock "$clock"
    expect 0 "$profctl" status
    says "$((count + 1)) connected, 0 detached" stdout
}

test_threads_that_exit_while_sampled() {
    run_fast "$programs/short_threads"
    [ "$(samples_of short_threads 'short 1')" -gt 0 ]
}

test_libraries_that_come_and_go() {
    run_fast "$programs/library_storm" libz.so.1 liblzma.so.5
    has_function library_storm burn_outer
}

test_sigurg_handler_is_the_programs_own() {
    run_fast "$programs/own_signal"
    has_function own_signal burn_outer
}

test_signal_masks_are_the_programs_own() {
    run_fast "$programs/masked"
    [ "$(samples_of masked masked)" -gt 20 ]
}

test_so_are_masks_that_are_set_by_the_number_of_the_call() {
    run_fast "$programs/masked" raw
    [ "$(samples_of masked masked)" -gt 20 ]
}

test_signals_that_are_waited_for_arrive() {
    run_fast "$programs/waits_for_signal"
    has_function waits_for_signal burn_outer
}

test_waits_are_not_cut_short() {
    run_fast "$programs/uninterrupted"
    has_function uninterrupted burn_outer
}

test_a_program_with_one_thread_may_have_a_user_namespace() {
    unshare -Ur true 2>/dev/null || skip "needs user namespaces"
    run_fast unshare -Ur sh -c "'$programs/busy' 0.2; id -u"
    [ "$(tail -n 1 stdout)" = 0 ]
    [ "$(samples_of busy GeckoMain)" -gt 10 ]
}

# As Chromium's zygote does, which ends when it has more.
test_a_program_with_one_thread_counts_one() {
    local status=0
    "$programs/counts_own_threads" 0 || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 2 ] # without a namespace
    expect "$status" "$profctl" run --clock "$clock" -o out.json -- "$programs/counts_own_threads" 0.3
    read_facts out.json
    [ "$(samples_of counts_own_threads GeckoMain)" -gt 10 ]
}

test_a_program_with_one_thread_may_keep_its_capabilities() {
    need_root
    expect 5 "$profctl" run --clock "$clock" -o out.json -- setpriv --reuid=65534 --regid=65534 --clear-groups \
        sh -c "'$programs/busy' 0.2; exit 5"
    read_facts out.json
    [ "$(samples_of busy GeckoMain)" -gt 10 ]
}

test_a_program_that_locks_its_memory_locks_not_the_arena() {
    "$programs/locks_memory" || skip "may not lock memory"
    run_fast "$programs/locks_memory"
    has_function locks_memory burn_outer
}

# The agent's part of the addresses that a program may have is a tenth.
test_a_program_with_few_addresses_keeps_them() {
    local limit threads bare library=1024 # which the program itself is linked with
    for limit in 60000 120000 400000; do
        for threads in 0 3; do
            bare=$(bash -c "ulimit -v $limit; exec '$programs/few_addresses' $threads")
            run_fast bash -c "ulimit -v $limit; exec '$programs/few_addresses' $threads"
            [ $(($(cat stdout) - bare + library)) -le $((limit / 10)) ] ||
                fail "of $limit KB: $(cat stdout) with $threads threads, and bare $bare"
            has_function few_addresses burn_outer
        done
    done
}

# The agent's threads count as well; they end where the program could have no more.
test_a_program_has_as_many_tasks_as_it_may() {
    need_root
    "$programs/few_tasks" 54321 4 >bare
    run_fast "$programs/few_tasks" 54321 4
    cmp stdout bare
    has_function few_tasks burn_outer
    run_fast "$programs/few_tasks" 54321 4 full # there is no place for the agent's thread until it ends
    cmp stdout bare
    "$profctl" report out.json >report
    [ "$clock" = cpu ] || says 'not as requested: there is no place for a thread of the agent' report
}

# They end for a moment while the program changes what the kernel keeps for each thread.
test_threads_that_found_no_place_after_a_change_come_back() {
    need_root
    run_fast "$programs/few_tasks" 54323 4 changes
}

# The agent's part of the data is a tenth, too. With hardly any, nothing is recorded.
test_a_program_with_little_data_keeps_it() {
    local limit threads bare
    for limit in 50000 120000; do
        for threads in 0 3; do
            bare=$(bash -c "ulimit -d $limit; exec '$programs/few_addresses' $threads data")
            run_fast bash -c "ulimit -d $limit; exec '$programs/few_addresses' $threads data"
            [ $(($(cat stdout) - bare)) -le $((limit / 10)) ] ||
                fail "of $limit KB: $(cat stdout) with $threads threads, and bare $bare"
            has_function few_addresses burn_outer
        done
    done
    run_fast bash -c "ulimit -d 16000; exec '$programs/few_addresses' 0 data"
    "$profctl" report out.json >report
    grep -q 'no memory for an arena' report || fail "$(cat report)"
}

# What the agent has mapped by then does not count.
test_a_program_may_limit_itself() {
    local what
    for what in addresses data; do
        expect 0 "$programs/own_limits" $what
        run_fast "$programs/own_limits" $what
        has_function own_limits burn_outer
    done
}

test_a_program_with_hardly_any_addresses_keeps_them_all() {
    run_fast bash -c "ulimit -v 25000; exec '$programs/few_addresses'"
    [ "$(cat stdout)" -lt 10000 ] || fail "$(cat stdout) KB"
    "$profctl" report out.json >report
    grep -q 'few_addresses' report || fail "$(cat report)"
    grep -q 'no memory for an arena' report || fail "$(cat report)"
}

test_a_process_ends_with_its_last_thread() {
    run_fast "$programs/last_thread"
    has_function last_thread burn_outer
    run_fast "$programs/last_thread" thread
    [ "$(process_count last_thread)" -eq 1 ]
    [ "$(awk -F'\t' '$1 == "thread" && $4 > 3' facts | wc -l)" -eq 2 ] || fail "$(grep ^thread facts)"
    run_fast "$programs/last_thread" thread only
    has_function last_thread burn_outer
}

test_a_process_ends_when_its_main_thread_makes_the_call() {
    for how in "call" "joined call" "thread call" "thread only call" "thread instruction"; do
        # shellcheck disable=SC2086
        run_fast timeout 20 "$programs/last_thread" $how
        has_function last_thread burn_outer
    done
}

test_standard_streams_stay_clean() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- sh -c '/bin/true; exit 0'
    [ ! -s stdout ]
    refute grep -i libprofd stderr
}

test_thread_storage_and_its_destructors() {
    run_fast "$programs/tls_guest"
    # Each thread is there once, whatever its destructors recorded.
    [ "$(awk -F'\t' '$1 == "thread" && $3 == "storage"' facts | wc -l)" -eq 50 ]
    grep -q '	in destructor' facts
}

# start_storm: its process id is in $storm; it ends with its input, which is $feeder's to hold.
start_storm() {
    mkfifo input
    in_background sleep 100 1<>input
    feeder=$background
    "$programs/fork_storm" <input >storm.out 2>&1 &
    storm=$!
    children+=("$storm")
}

end_storm() {
    local status=0
    kill "$feeder"
    wait "$storm" || status=$?
    [ "$status" -eq 0 ] || fail "the program ended with $status"
}

test_forks_during_captures_keep_their_descriptors() {
    start_profd
    expect 0 "$profctl" start --clock "$clock"
    start_storm
    for _ in 1 2 3 4 5 6; do
        expect 0 "$profctl" capture --no-symbols -o out.json
        is_running "$storm" || break
    done
    end_storm
}

test_profd_may_count_its_sessions_anew() {
    start_profd
    expect 0 "$profctl" start --clock "$clock"
    start_storm
    expect 0 "$profctl" capture --no-symbols -o out.json
    kill -KILL "$daemon"
    wait_until has_ended "$daemon"
    rm "$PROFD_SOCKET.session" # the next one knows of no session
    start_profd
    expect 0 "$profctl" start --clock "$clock"
    expect 0 "$profctl" capture --no-symbols -o out.json
    end_storm
}

# As the kernel delivers one for which it has no memory: nobody knows whose it was.
test_a_signal_that_cannot_be_told_is_the_programs_and_counted() {
    cat >ambiguous.c <<'END'
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/system/programs/burn.h"
static volatile sig_atomic_t count;
static void on_signal(int number)
{
    (void)number;
    count++;
}
int main(void)
{
    siginfo_t info;
    signal(SIGURG, on_signal);
    burn_outer(0.1);
    for (int i = 0; i < 3; i++) {
        memset(&info, 0, sizeof(info));
        info.si_code = SI_USER;
        syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), SIGURG, &info);
    }
    burn_outer(0.05);
    return count == 3 ? 0 : 1;
}
END
    cc -D_GNU_SOURCE -O1 -I"$source_dir" -o ambiguous ambiguous.c
    expect 0 "$profctl" run --clock "$clock" -o out.json -- ./ambiguous
    read_facts out.json
    [ "$(meta_of ambiguous profd.events.ambiguous-signal)" = 3 ] ||
        fail "$(grep ambiguous facts)"
}

test_children_made_past_the_c_library_are_followed() {
    [ "$clock" != wall ] || skip "its threads cannot be had in such children"
    run_fast "$programs/copies"
    for name in 'by _Fork' 'by fork call' 'by clone call' 'by clone3 call' 'by clone' grandchild; do
        [ "$(process_count "$name")" -eq 1 ] || fail "$(process_count "$name") times $name"
        [ "$(samples_of "$name" GeckoMain)" -gt 5 ] || fail "$(samples_of "$name" GeckoMain) samples of $name"
    done
    refute grep -q 'without being profiled' stderr
}

test_children_made_past_the_c_library_end_as_they_would() {
    run_fast timeout 20 "$programs/copy_ends"
    has_function copy_ends burn_outer
}

# By system calls that nobody hears of, or with another thread there.
test_children_made_past_the_c_library() {
    expect 0 "$profctl" run --clock "$clock" --features stacks,cpu,markers,labels,counters,memory,nativeallocs \
        -o out.json -- "$programs/raw_children"
    read_facts out.json
    has_function raw_children burn_outer
    # Of the program itself, not of its children.
    [ "$(grep -o '"Text","name":"text"' out.json | wc -l)" -eq 2 ]
}

# start_busy FILE COMMAND…: COMMAND runs a busy process of two threads, which is then in $busy.
start_busy() {
    local file=$1
    shift
    rm -f "$file"
    in_background env WITH_IDLE_THREAD=1 "$@" "$programs/busy" 1000 "$file" >/dev/null 2>&1
    wait_until [ -s "$file" ]
    busy=$(cat "$file")
}

# descriptors_of FILE COMMAND…: what a busy process of two threads has open, run by COMMAND; FILE: its id.
descriptors_of() {
    start_busy "$@"
    find "/proc/$busy/fd" -mindepth 1 -printf '%f\n' | sort >"$1.open"
    kill -KILL "$busy"
}

test_a_program_of_two_threads_has_its_own_descriptors_and_no_others() {
    descriptors_of bare.pid env
    descriptors_of profiled.pid "$profctl" run --quiet --clock "$clock" -o out.json --
    diff bare.pid.open profiled.pid.open || fail "there are others"
}

# That of the wall clock, which samples at its interval, has another one.
test_a_program_of_two_threads_has_one_of_the_agents() {
    local clock_now own bare
    start_busy bare.pid env PROFD_DISABLE=1
    bare=$(cat "/proc/$busy/task"/*/comm | wc -l)
    kill -KILL "$busy"
    for clock_now in "$clock" perf; do
        own='profd-agent'
        [ "$clock_now" != wall ] || own='profd-agent profd-sampler'
        start_busy profiled.pid "$profctl" run --quiet --clock "$clock_now" -o out.json --
        cat "/proc/$busy/task"/*/comm >names
        kill -KILL "$busy"
        [ "$(grep profd- names | sort | xargs)" = "$own" ] || fail "$clock_now: $(xargs <names)"
        [ "$(grep -cv profd- names)" -eq "$bare" ] || fail "$clock_now: $(xargs <names), and bare $bare"
    done
}

test_disabled_process_is_left_alone() {
    # shellcheck disable=SC2016
    expect 0 env PROFD_DISABLE=1 "$profctl" run --clock "$clock" -o out.json -- sh -c 'ls -l /proc/$$/fd; exit 0'
    refute grep -E 'memfd|profd\.sock' stdout
}

test_a_linked_program_works_without_profd() {
    expect 0 "$programs/labels"
    [ ! -s stdout ]
    [ ! -s stderr ]
}

test_labels_and_markers_of_a_linked_program() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- "$programs/labels"
    read_facts out.json
    has_process labelled
    has_function labelled 'outer label'
    has_function labelled 'inner label'
    for marker in instant 'with text' span interval; do
        grep -q "^marker.*	$marker	" facts || fail "no marker $marker"
    done
    grep -q 'some text' facts
    grep -q 'it took a while' facts
}

# They run between those of the agent, whose locks are held and whose arena the child does not have.
test_handlers_of_fork_may_record_and_allocate() {
    for thread in registered unregistered; do
        expect 0 "$profctl" run --clock "$clock" -f markers,labels,counters,memory,nativeallocs --alloc-interval 1K \
            -o out.json -- timeout -s KILL 60 "$programs/fork_handlers" "${thread#registered}"
        read_facts out.json
        [ "$(process_count fork_handlers)" -eq 2 ] || fail "$(process_count fork_handlers) processes"
    done
}

test_handlers_of_fork_may_wait_for_threads() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- timeout -s KILL 60 "$programs/fork_joins"
    read_facts out.json
    [ "$(process_count fork_joins)" -eq 2 ] || fail "$(process_count fork_joins) processes"
    has_function fork_joins burn_outer
}

test_handlers_of_fork_may_restart_threads() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- timeout -s KILL 60 "$programs/fork_restarts"
    read_facts out.json
    for thread in stays later; do
        [ "$(samples_of fork_restarts "$thread")" -gt 0 ] || fail "no samples of $thread"
    done
}

test_forks_while_libraries_are_looked_at() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- timeout -s KILL 60 "$programs/fork_in_loader"
    read_facts out.json
    [ "$(process_count fork_in_loader)" -eq 2 ] || fail "$(process_count fork_in_loader) processes"
}

# Each fork lets go what it holds itself, and nothing else: else the program hangs.
test_threads_may_fork_at_once() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- timeout -s KILL 60 "$programs/forks_together"
    read_facts out.json
    [ "$(process_count forks_together)" -eq 301 ] || fail "$(process_count forks_together) processes"
}

run_tests_with_each_clock "$@"
