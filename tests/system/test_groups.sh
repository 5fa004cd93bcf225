#!/bin/bash
# Performance groups: who makes a program janky, without any session.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# field LINE NUMBER: of the line that begins so in stdout; 1 is behind those words.
field() {
    awk -v line="$1 " -v number="$2" 'index($0, line) == 1 {
        split(substr($0, length(line) + 1), fields, " "); print fields[number] }' stdout
}

# is_near VALUE OTHER PERCENT: apart by no more than that of the other, and a millisecond.
is_near() {
    awk -v a="$1" -v b="$2" -v percent="$3" 'BEGIN {
        d = a > b ? a - b : b - a; exit !(d <= b * percent / 100 + 1e6) }' || fail "$1 is not near $2"
}

# told WHAT NAME: of the program's own truth.
told() {
    sed -n "s/^truth.* $1 \([0-9]*\).*/\1/p" stdout
}

# shellcheck disable=SC2120
tenants() {
    expect 0 env -u PROFD_SOCKET "$programs/tenants" 40 "$@"
}

test_groups_are_charged_what_their_units_used() {
    tenants
    is_near "$(field 'group tenant busy' 1)" "$(told busy)" 2
    is_near "$(field 'group tenant idle' 1)" "$(told idle)" 20
    [ "$(field 'group tenant busy' 2)" -eq 40 ]
    [ "$(field 'group tenant busy' 4)" -eq 40 ] # each took more than 2 ms
}

# What a sleeper does not use is not charged to it, and what a unit inside used is that one's.
test_single_units_and_the_rest_add_up_to_the_thread() {
    tenants
    is_near "$(field 'group parser busy' 1)" "$(told parser)" 2
    is_near "$(($(field 'group handler busy' 1) + $(field 'group parser busy' 1)))" "$(told busy)" 2
    they_add_up_to_the_thread
}

they_add_up_to_the_thread() {
    sum=$(($(field 'group handler busy' 1) + $(field 'group parser busy' 1) +
        $(field 'group handler idle' 1) + $(field 'group thread tenants' 25)))
    is_near "$sum" "$(field 'group thread tenants' 1)" 1
    is_near "$sum" "$(told all)" 2
}

# A measure that was cancelled is nobody's, so that its time is not attributed.
test_what_was_cancelled_adds_up_as_well() {
    tenants jumps
    they_add_up_to_the_thread
}

test_units_that_are_left_by_longjmp_are_cancelled() {
    tenants jumps
    [ "$(field 'group handler jumper' 2)" -eq 0 ]
    is_near "$(field 'group tenant busy' 1)" "$(told busy)" 2
    start_profd
    in_background env "$programs/tenants" 1000 jumps >tenants.out
    wait_until cancelled_are_told
}

cancelled_are_told() {
    "$profctl" groups --json | grep -q '"cancelled":[1-9]'
}

# An iteration takes 8 ms on the wall, and the wait after it 20.
test_loops_that_tell_of_their_events_commit_by_themselves() {
    tenants events
    [ "$(field 'group thread tenants' 2)" -eq 40 ]
    [ "$(field 'group tenant busy' 2)" -eq 40 ]
    [ "$(field 'group thread tenants' 16)" -eq 40 ] # more than 4 ms
    [ "$(field 'group thread tenants' 18)" -le $(($(told long) + 4)) ] # more than 16 ms
}

# Likewise: the wait before it is the first one after the iteration before.
test_what_a_loop_waits_for_between_its_iterations_is_part_of_none() {
    tenants waits
    [ "$(field 'group thread tenants' 2)" -ge 39 ]
    [ "$(field 'group thread tenants' 18)" -le $(($(told long) + 4)) ]
}

# waits_of CASE: of a loop that tells the ends of its iterations.
waits_of() {
    expect 0 env -u PROFD_SOCKET timeout 60 "$programs/first_waits" "$1"
}

# They take 1 ms, and 50 with the wait.
test_as_long_as_nothing_comes_a_loop_waits_between_its_iterations() {
    for how in sleeps peeks again interrupted forks; do
        waits_of $how
        [ "$(field top 1)" -le 4 ] || fail "$how: $(field top 1) of 10 iterations have waits in them"
        is_near "$(field top 2)" "$(field truth 1)" 2
    done
}

test_a_wait_between_iterations_may_be_left_in_any_way() {
    waits_of left
    [ "$(field top 1)" -le 4 ]
    waits_of cancelled
    [ "$(field top 1)" -eq 0 ]
}

test_waits_in_units_and_for_others_are_part_of_an_iteration() {
    for how in unmeasured blocked; do
        waits_of $how
        [ "$(field top 1)" -eq 10 ] || fail "$how: $(field top 1) of 10 iterations have waits in them"
    done
}

test_turns_of_a_loop_leave_out_its_idle_time() {
    tenants turns
    [ "$(field 'group thread tenants' 2)" -ge 40 ]
    [ "$(field 'group tenant busy' 2)" -eq 40 ]
    [ "$(field 'group thread tenants' 16)" -ge 39 ]
    [ "$(field 'group thread tenants' 18)" -le $(($(told long) + 4)) ]
}

# --- Units in odd places ---

unit_case() {
    expect 0 env -u PROFD_SOCKET timeout 60 "$programs/unit_cases" "$1"
}

test_units_that_wait_are_no_loops() {
    unit_case polls
    is_near "$(field told 1)" "$(field truth 1)" 5
    [ "$(field told 2)" -eq 10 ]
}

test_units_may_be_entered_by_a_helper() {
    unit_case helper
    is_near "$(field told 1)" "$(field truth 1)" 10
}

test_a_thousand_units_in_one_are_all_charged() {
    unit_case many
    is_near "$(field told 1)" "$(field truth 1)" 5
}

test_a_call_back_that_is_left_by_longjmp_is_asked_again() {
    unit_case jump
    is_near "$(field told 1)" "$(field truth 1)" 10
}

test_a_call_back_may_enter_units_and_boast() {
    unit_case asked
    is_near "$(field told 1)" "$(field truth 1)" 10
    [ "$(field told 2)" -eq 1 ]
}

test_forks_inside_units_and_call_backs_do_no_harm() {
    unit_case fork
    refute test -s stderr
}

test_handlers_that_wait_do_not_wait_for_whom_they_interrupted() {
    unit_case alarm
}

test_behind_a_filter_no_clock_is_read() {
    unit_case filter
}

test_time_blocked_counts_from_the_first_moment() {
    unit_case blocked
    [ "$(field told 3)" -ge 45000000 ] || fail "$(field told 3) of 50000000 ns"
}

# is_blocked AT_LEAST BELOW: so many nanoseconds.
is_blocked() {
    [ "$(field told 3)" -ge "$1" ] && [ "$(field told 3)" -lt "$2" ] || fail "blocked $(field told 3) ns"
}

test_waits_inside_units_are_blocked_time() {
    LD_PRELOAD=$build/lib/libprofd.so unit_case waits
    is_blocked 95000000 1000000000
    LD_PRELOAD=$build/lib/libprofd.so unit_case handler
    is_blocked 75000000 1000000000
    LD_PRELOAD=$build/lib/libprofd.so unit_case left
    is_blocked 45000000 200000000
    unit_case cancelled
    is_blocked 0 100000000
    LD_PRELOAD=$build/lib/libprofd.so unit_case commands
    is_blocked 190000000 2000000000
}

test_a_program_says_what_it_needs() {
    unit_case ticks
    [ "$(field told 1) $(field told 2) $(field told 3)" = "0 2 0" ]
}

# The top group has all units: an outermost one is an iteration, and what it used is not lost.
test_units_that_nobody_measures_are_iterations() {
    unit_case idle
    [ "$(field top 1)" -eq 4 ]
    is_near "$(field top 2)" "$(field truth 1)" 25
    [ "$(field told 2)" -eq 1 ]
}

test_threads_may_end_inside_units() {
    unit_case thread
    [ -z "$(field told 1)" ]
}

# --- Loops of programs that know nothing of profd ---

# watched PROGRAM…: with the agent in it.
watched() {
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$@"
    wait_until is_known "$background"
}

is_known() {
    "$profctl" status --json | grep -q "\"pid\":$1,"
}

# groups_have PATTERN [OPTION…]: in what happens in a moment.
groups_have() {
    local pattern=$1
    shift
    "$profctl" groups --json --for 300ms "$@" >groups.json && grep -qE "$pattern" groups.json
}

loops_are_seen() {
    start_profd
    touch go
    watched "$programs/loop" 3 go
    # Each iteration takes more than 2 ms of CPU time.
    wait_until groups_have '"kind":"thread","name":"loop".*"ticks":[1-9][0-9]+,.*"cpuExceeded":\[[1-9][0-9]+,[1-9][0-9]+,' --by thread
    wait_until groups_have '"process":"loop","verdict":"live".*"ticks":[1-9]' --by process
    expect 0 "$profctl" groups
    says '^ +[0-9.]+ +[0-9.]+ +0\.0 +[0-9]+ +> [248] \|.*\| thread loop' stdout
}

test_a_loop_is_seen_at_its_poll() {
    loops_are_seen
}

test_a_loop_beside_another_thread_is_seen() {
    export WITH_IDLE_THREAD=1
    loops_are_seen
}

# Those of fortified programs, too.
test_a_loop_is_seen_at_whatever_it_waits_in() {
    start_profd
    for call in poll __poll_chk ppoll __ppoll_chk select pselect epoll_wait epoll_pwait epoll_pwait2; do
        watched "$programs/loops_at" "$call"
        wait_until groups_have "\"name\":\"$call\".*\"ticks\":[1-9]" --by thread
    done
}

test_a_loop_is_seen_beside_a_session() {
    start_profd
    expect 0 "$profctl" start
    touch go
    watched "$programs/loop" 3 go
    wait_until groups_have '"kind":"thread","name":"loop".*"ticks":[1-9]' --by thread
    expect 0 "$profctl" stop
    wait_until groups_have '"kind":"thread","name":"loop".*"ticks":[1-9]' --by thread
}

test_programs_that_start_later_are_measured_too() {
    start_profd
    in_background "$profctl" groups --watch 100ms --json >watch.json
    touch go
    watched "$programs/loop" 3 go
    wait_until grep -qE '"name":"loop".*"ticks":[1-9]' watch.json
}

test_nothing_is_measured_while_nobody_asks() {
    start_profd
    touch go
    watched "$programs/loop" 1 go
    in_background "$profctl" groups --watch 100ms --json >watch.json
    wait_until grep -qE '"name":"loop".*"ticks":[1-9]' watch.json
    kill "$background"
    wait_until nobody_asks
    expect 0 "$profctl" groups --for 10ms --json --by thread
    ticks=$(grep -o '"ticks":[0-9]*' stdout | cut -d: -f2)
    period_ms=$(grep -o '"periodMs":[0-9]*' stdout | cut -d: -f2)
    # One comes every 10 ms: those of the period, and not of all the time.
    [ "${ticks:-0}" -le $((period_ms / 10 + 3)) ]
}

nobody_asks() {
    "$profctl" groups --for 1ms --json | grep -q '"periodMs":[1-9]'
}

# --- Filters ---

# Who runs: two loops of different names, and a process with two tenants.
filter_world() {
    start_profd
    touch go
    watched "$programs/loop" 3 go
    watched "$programs/tenants" 100000
    in_background "$profctl" groups --watch 100ms --json >all.json
    wait_until grep -qE '"kind":"tenant","name":"busy"' all.json
    wait_until groups_have '"name":"loop".*"ticks":[1-9]' --by thread
}

# names_of KEY FILE: those that its last whole line has.
names_of() {
    sed '$!d' "$2" | grep -o "\"$1\":\"[^\"]*\"" | sort -u | tr '\n' ' '
}

test_a_filter_shows_what_is_meant() {
    filter_world
    expect 0 "$profctl" groups --json --filter kind=tenant,process=tenants
    [ "$(names_of name stdout)" = '"name":"busy" "name":"idle" ' ]
    [ "$(names_of kind stdout)" = '"kind":"tenant" ' ]
    expect 0 "$profctl" groups --json --by process --filter process=loo
    [ "$(names_of process stdout)" = '"process":"loop" ' ]
    expect 0 "$profctl" groups --json --by process --filter kind=tenant,name=busy
    [ "$(names_of process stdout)" = '"process":"tenants" ' ]
    says '"cpuMs":[1-9]' stdout
    expect 0 "$profctl" groups --filter name=idle
    says '\| tenant idle$' stdout
    refute grep -qE 'busy|loop' stdout
}

test_a_filter_is_for_each_look_and_for_alerts() {
    filter_world
    in_background "$profctl" groups --watch 100ms --json --filter name=busy >watch.json
    in_background "$profctl" groups --for 100ms --json --alert 'cpu>1ms' --filter name=busy >alerts.json
    wait_until grep -q '"name":"busy".*"ticks":[1-9]' watch.json
    wait_until grep -q '"alert"' alerts.json
    refute grep -hoE '"name":"(idle|loop)"' watch.json alerts.json
}

test_what_is_no_filter_is_refused() {
    for wrong in tenant kind= kind=a,kind=b pid=1 ''; do
        expect 2 "$profctl" groups --filter "$wrong"
        one_line stderr
        says "a filter is kind=KIND, name=NAME or process=NAME, each once, with commas between" stderr
    done
    expect 2 "$profctl" groups --by thread --filter kind=tenant
    one_line stderr
}

# --- Ends and beginnings ---

# Who idles since nobody asks does not seem to hang when somebody asks again.
test_what_rests_is_not_shown_as_running() {
    start_profd
    touch go
    watched "$programs/loop" 3 go
    in_background "$profctl" groups --watch 100ms --json >watch.json
    wait_until grep -qE '"name":"loop".*"ticks":[1-9]' watch.json
    kill "$background"
    rm go
    sleep 1.5 # so that what seems to run would seem to have run for so long
    expect 0 "$profctl" groups --for 50ms --json --by thread
    refute grep -qE '"runningMs":[0-9]{4}' stdout
}

test_profd_measures_always_when_it_is_told_to() {
    in_background "$profd" --groups all 2>profd.log
    daemon=$background
    wait_until "$profctl" status
    touch go
    watched "$programs/loop" 3 go
    wait_until groups_have '"periodMs":0,.*"name":"loop".*"ticks":[1-9]' --by thread
    expect 2 "$profd" --groups some
    one_line stderr
    says "groups must be none, all or units, not 'some'" stderr
}

test_what_a_killed_process_had_is_there() {
    start_profd
    touch go
    in_background "$profctl" groups --watch 100ms --json >watch.json
    watched "$programs/loop" 3 go
    wait_until grep -qE '"name":"loop".*"ticks":[1-9]' watch.json
    kill -KILL "$background"
    wait_until groups_after_the_end
}

groups_after_the_end() {
    "$profctl" groups --json --by process | grep -qE '"process":"loop","verdict":"killed","code":9,.*"ticks":[1-9]'
}

test_a_process_that_hangs_is_shown_as_running() {
    start_profd
    touch go
    in_background "$profctl" groups --watch 100ms --by thread >watch.out
    watched "$programs/loop" 1 go 60
    wait_until grep -q 'loop .* running for [1-9]' watch.out
    refute grep 'running for 0\.0 s' watch.out # something runs at any time
}

# Of two images of a process, each has groups of the same names in the same places, and the first
# one had more of everything.
test_a_program_that_is_executed_begins_anew() {
    start_profd
    touch next
    in_background "$profctl" groups --watch 100ms --json --filter name=blue,kind=tenant >watch.json
    wait_until test -s watch.json
    watched "$programs/execs_itself" 30 20
    wait_until has_iterated 30
    rm next
    wait_until has_iterated 50
    sleep 0.5 # that no more are told is no event
    has_iterated 50
    expect 0 "$profctl" groups --json --filter name=blue,kind=tenant
    says '"merged":2,"ticks":50,' stdout
}

# has_iterated TIMES: what all looks tell together.
has_iterated() {
    [ "$(grep -o '"ticks":[0-9]*' watch.json | awk -F: '{ sum += $2 } END { print sum + 0 }')" -eq "$1" ]
}

test_a_process_that_is_stopped_is_there() {
    start_profd
    touch go
    in_background "$profctl" groups --watch 100ms --json >watch.json
    watched "$programs/loop" 3 go
    wait_until grep -qE '"name":"loop".*"ticks":[1-9]' watch.json
    kill -STOP "$background"
    expect 0 "$profctl" groups --json --by process
    says '"process":"loop","verdict":"live".*"ticks":[1-9]' stdout
}

test_alerts_tell_who_was_too_long() {
    start_profd
    touch go
    in_background "$profctl" groups --for 200ms --alert 'cpu>2ms,process=loop,times=5/30s' >alerts
    in_background "$profctl" groups --for 200ms --alert 'cpu>512ms' --json >none
    watched "$programs/loop" 3 go
    wait_until grep -qE '^[0-9:]+ thread loop of loop \([0-9]+\): cpu>2ms,.*, [0-9]+ times?; highest [3-9]\.[0-9] ms of CPU time, [0-9.]+ on the wall, 0\.0 blocked; thread [0-9]+' alerts
    [ ! -s none ]
}

# What the program itself saw of its slowest tenant, profctl is told of by profd.
test_alerts_tell_the_highest() {
    local at_least_30='([3-9][0-9]|[1-9][0-9]{2,})' # on the wall it is as long as the machine lets it be
    start_profd
    in_background "$profctl" groups --alert 'cpu>2ms,name=busy' --json >alerts
    in_background "$profctl" groups --alert 'blocked>20ms,kind=handler' --units --json >blocked
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/slow_tenant"
    wait_until grep -qE '"alert":"cpu>2ms,name=busy","times":[1-9],"highestCpuMs":4[0-9]\.' alerts
    grep -qE "\"highestWallMs\":$at_least_30\b.*\"highestBlockedMs\":$at_least_30\b.*\"highestThread\":[1-9]" alerts
    wait_until grep -qE "\"highestBlockedMs\":$at_least_30\b.*\"kind\":\"handler\",\"name\":\"slow\"" blocked
}

test_alerts_do_not_wait_for_who_hangs() {
    start_profd
    touch go
    in_background "$profctl" groups --for 200ms --alert 'wall>512ms' >alerts
    watched "$programs/loop" 1 go 60
    wait_until grep -qE 'thread loop of loop .*; running for [0-9.]+ s' alerts
}

test_monitoring_outlives_a_profd_that_is_killed() {
    start_profd
    touch go
    watched "$programs/loop" 3 go
    wait_until groups_have '"name":"loop".*"ticks":[1-9]' --by thread
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
    start_profd
    wait_until groups_have '"name":"loop".*"ticks":[1-9]' --by thread
}

# --- Observers in the program ---

observes() {
    expect 0 env -u PROFD_SOCKET "$programs/observes" "$@"
    grep -qx 'refused -22 -22 -22' stdout
}

test_an_observer_hears_of_janky_groups() {
    observes
    grep -qE '^alert tenant busy 42 times 1 highest [0-9]+ [0-9]+$' stdout
    grep -qE '^alerts [1-9][0-9]*, after the end 0$' stdout
}

# It may do there whatever it may do elsewhere.
test_observers_do_what_they_like() {
    for mode in jump enter end forks threads; do
        observes $mode
        grep -qE '^alert (tenant|handler|thread) ' stdout
    done
    in_session observes forks
}

in_session() {
    "$profctl" run -q -o out.json -- "$programs/$1" "$2" >stdout
    grep -q '^alert tenant busy' stdout
}

# --- In a session ---

recorded() {
    expect 0 "$profctl" run --features stacks,markers,counters,"$1" -o out.json -- "${@:2}"
    mv stdout program.out
    read_facts out.json
    mv program.out stdout
}

test_a_session_counts_what_groups_cost() {
    recorded groups "$programs/tenants" 40
    counted tenants 'tenant busy' >counter
    is_near "$(($(cut -d' ' -f1 <counter) * 1000))" "$(told busy)" 2
    [ "$(cut -d' ' -f2 <counter)" -eq 40 ]
}

# A thousand groups of 1 ms each are not lost where not all of them are shown.
test_groups_that_are_too_many_to_show_are_counted_together() {
    recorded groups "$programs/unit_cases" many
    counted unit_cases 'all other groups' >counter
    [ "$(cut -d' ' -f1 <counter)" -ge 900000 ]
}

test_iterations_that_take_too_long_are_markers() {
    touch go
    recorded groups bash -c 'timeout 2 "$@" || true' - "$programs/loop" 20 go
    grep -P '^marker\t\d+\tGeckoMain\tJank\t' facts >jank
    [ "$(wc -l <jank)" -gt 3 ] # of a hundred, on a machine that has time
    awk -F'\t' '{ bad += $6 - $5 < 16 || $6 - $5 > 2000 } END { exit bad > 0 }' jank
}

test_a_session_that_does_not_ask_shows_no_groups() {
    touch go
    recorded switches bash -c 'timeout 1 "$@" || true' - "$programs/loop" 20 go
    refute grep -P '^marker\t\d+\tGeckoMain\tJank\t' facts
}

# What nobody needs is not measured; who needs more later gets it.
test_clients_say_what_they_need() {
    start_profd
    touch go
    watched "$programs/loop" 3 go
    in_background "$profctl" groups --watch 100ms --json --measure ticks >watch.json
    wait_until grep -qE '"name":"loop".*"ticks":[1-9]' watch.json
    refute grep -E '"name":"loop".*"cpuMs":[1-9]' watch.json
    wait_until groups_have '"name":"loop".*"cpuMs":[1-9]' --by thread
    wait_until grep -qE '"name":"loop".*"cpuMs":[1-9]' watch.json
}

test_wrong_words_are_refused() {
    for wrong in "--alert jank>3ms" "--alert cpu>3ms" "--by tenant" "--sort size" "--for never" "--measure speed" "--measure cpu," "--watch" "--for 0"; do
        # shellcheck disable=SC2086
        expect 2 "$profctl" groups $wrong
        one_line stderr
    done
    expect 3 "$profctl" groups
    one_line stderr
}

run_tests "$@"
