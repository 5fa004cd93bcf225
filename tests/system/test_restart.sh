#!/bin/bash
# profd is killed with SIGKILL and started again; its children go on meanwhile.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

options=() # of profd

# start_numbered N: N programs that count what they record, in files n1, n2 …, below profd.
start_numbered() {
    local i
    for i in $(seq "$1"); do
        echo "'$programs/numbered' n$i &"
    done >all.sh
    echo 'wait' >>all.sh
    start_profd "${options[@]}" -- sh all.sh
    expect 0 "$profctl" start
    for i in $(seq "$1"); do
        wait_until has_reached "n$i" 50
    done
    mapfile -t writers < <(pgrep -P "$(pgrep -P "$daemon")")
    children+=("${writers[@]}")
}

# are_connected N: all programs that count, each of which said hello.
are_connected() {
    [ "$("$profctl" status | grep -c "connected.*numbered")" -eq "$1" ]
}

number_in() {
    od -An -tu8 "$1" | tr -d ' '
}

has_reached() {
    [ -s "$1" ] && [ "$(number_in "$1")" -ge "$2" ]
}

# records_more FILE: the program goes on for another hundred numbers.
records_more() {
    wait_until has_reached "$1" $(($(number_in "$1") + 100))
}

# has_all_numbers LEAST…: every number from its first on is in the capture once, for each program, but for as many gaps
# as pauses says; the last ones are at least LEAST.
pauses=0
has_all_numbers() {
    awk -F'\t' '$1 == "marker" && $4 == "number" { print $2, $8 }' facts | sort -k1,1 -k2,2n >numbers
    awk -v pauses="$pauses" '
        $1 == pid && ($2 <= last || ($2 > last + 1 && ++gaps[pid] > pauses)) { print pid " misses what is between " last " and " $2; bad = 1 }
        $1 != pid && pid { print last > "lasts" }
        { pid = $1; last = $2 }
        END { print last > "lasts"; exit bad }' numbers || fail "numbers are missing"
    [ "$(wc -l <lasts)" -eq $# ] || fail "$(wc -l <lasts) programs instead of $#"
    sort -n lasts >got
    printf '%s\n' "$@" | sort -n | paste - got | awk '$2 < $1 { exit 1 }' ||
        fail "it ends too early: $(xargs <got) instead of $*"
}

# captures_all_numbers N: what the N programs have recorded so far is in a capture of now.
captures_all_numbers() {
    local i least=()
    for i in $(seq "$1"); do
        least+=("$(number_in "n$i")")
    done
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_all_numbers "${least[@]}"
}

# resumes_with COUNT [KEPT]: of so many processes. Without KEPT, any of them may have given its arena away already.
resumes_with() {
    local kept expected
    kept=$(sed -n 's/.*resuming the session: \([0-9]*\) processes kept.*/\1/p' profd.log)
    expected=$(sed -n 's/.*resuming the session: .* \([0-9]*\) expected to reconnect.*/\1/p' profd.log)
    [ $((kept + expected)) -eq "$1" ] && [ "$kept" -eq "${2-$kept}" ] || fail "it resumes with $kept kept, $expected expected"
}

# both_halves [KEEPER]: of four processes; profd's KEEPER is killed, too.
both_halves() {
    local killed started
    start_numbered 3
    records_more n1
    kill_profd
    [ $# -eq 0 ] || kill_keeper
    killed=$(number_in n1)
    records_more n1
    records_more n2
    started=$(number_in n1)
    start_profd "${options[@]}"
    if [ $# -eq 0 ]; then resumes_with 4 4; else resumes_with 4; fi
    records_more n3
    wait_until are_connected 3
    captures_all_numbers 3
    has_numbers_between "${writers[0]}" "$killed" "$started"
}

# has_numbers_between PROCESS AFTER UP_TO: a pause would have left out any number of them.
has_numbers_between() {
    awk -v pid="$1" -v after="$2" -v up_to="$3" '
        $1 == pid && $2 > after && $2 <= up_to { found = 1 }
        END { exit !found }' numbers || fail "$1 has nothing between $2 and $3"
}

# Nobody waits for profd in processes of one thread, and profd-keeper has their arenas.
test_one_capture_shows_both_halves() {
    both_halves
}

# Those that began with one thread had given their arena away.
test_one_capture_shows_both_halves_of_those_with_threads() {
    export WITH_IDLE_THREAD=1
    both_halves
}

# They find out that nobody has their arenas, and give them away once more.
test_one_capture_shows_both_halves_without_the_keeper() {
    both_halves keeper
}

# Nobody says anything to the keeper meanwhile: profd notices its end by itself.
test_one_capture_shows_both_halves_after_another_keeper() {
    start_numbered 3
    kill_keeper
    wait_until grep 'profd-keeper does not answer .*; started another one' profd.log
    records_more n1
    kill_profd
    records_more n1
    start_profd
    resumes_with 4 4
    captures_all_numbers 3
}

test_those_with_threads_after_another_keeper() {
    export WITH_IDLE_THREAD=1
    test_one_capture_shows_both_halves_after_another_keeper
}

# All of their threads stop recording while the arena gets another file.
test_those_with_threads_without_the_keeper() {
    export WITH_IDLE_THREAD=1
    pauses=1
    both_halves keeper
}

# allow_files SIZE: how large files the first program that counts may make.
allow_files() {
    prlimit --pid "${writers[0]}" "--fsize=$1:"
}

# lose_arena: that of a program which cannot give it another file for now.
lose_arena() {
    start_numbered 1
    allow_files 4096
    kill_profd
    kill_keeper
    start_profd --log-level debug
}

hellos() {
    grep -c 'numbered) said hello' profd.log || true
}

# It asks ever less often. profd may have taken its first hello before it said that it lacks arenas.
test_who_has_no_file_for_its_arena_waits_until_it_has() {
    export WITH_IDLE_THREAD=1
    lose_arena
    for _ in {1..20}; do
        expect 0 "$profctl" status
    done
    [ "$(hellos)" -le 1 ] || fail "it said hello $(hellos) times"
    allow_files unlimited
    wait_until are_connected 1
    records_more n1
    pauses=1
    captures_all_numbers 1
    refute grep 'cannot record' profd.log
}

test_who_is_alone_and_has_no_file_for_its_arena_tries_again() {
    lose_arena
    records_more n1
    allow_files unlimited
    wait_until are_connected 1
    records_more n1
    pauses=1
    captures_all_numbers 1
}

leases_less_than() {
    [ "$(leased_bytes)" -lt "$1" ]
}

# Others may have that memory, though it still has no file. By the time that profd no longer waits for it, it has tried.
test_what_cannot_be_handed_over_goes_with_its_session() {
    local before
    export WITH_IDLE_THREAD=1
    lose_arena
    wait_until grep -q 'have not reconnected' profd.log
    before=$(leased_bytes)
    expect 0 "$profctl" stop
    wait_until leases_less_than "$before"
}

# The ledger is in no file then.
test_one_capture_shows_both_halves_of_programs_of_all_users() {
    options=(--agents all)
    both_halves
}

test_programs_of_all_users_and_another_keeper() {
    options=(--agents all)
    start_numbered 1
    kill_keeper
    wait_until grep 'profd-keeper does not answer .*; started another one' profd.log
    kill_profd
    start_profd "${options[@]}"
    resumes_with 2 2
    captures_all_numbers 1
}

test_the_ledger_of_all_users_ends_with_profd_and_keeper() {
    start_profd --agents all
    expect 0 "$profctl" start
    kill_profd
    start_profd --agents all
    says 'resuming the session: 0 processes kept' profd.log
    kill_profd
    kill_keeper
    start_profd --agents all
    says 'cannot resume the session .*profd.sock.leases is of a profd-keeper that has ended, too' profd.log
    expect 0 "$profctl" start
    kill_profd
    start_profd --agents all
    says 'resuming the session' profd.log
}

# ledger_of PID: its descriptor in /proc.
ledger_of() {
    find "/proc/$1/fd" -lname '*/memfd:profd-leases *' | grep .
}

test_nobody_truncates_the_ledger_of_all_users() {
    options=(--agents all)
    start_numbered 1
    refute truncate -s 0 "$(ledger_of "$daemon")"
    records_more n1
    captures_all_numbers 1
}

test_a_keeper_that_ends_again_and_again_is_given_up() {
    start_numbered 1
    until grep -q 'new single-threaded processes get agent threads' profd.log; do
        kill_keeper || sleep 0.02
    done
    records_more n1
    captures_all_numbers 1
}

# The next profd has a ledger of its own.
next_profd_knows_them() {
    start_profd
    expect 0 "$profctl" start
    for i in 1 2; do
        LD_PRELOAD=$build/lib/libprofd.so in_background "$programs/numbered" "n$i"
        wait_until has_reached "n$i" 50
    done
    wait_until two_are_known
    kill -TERM "$daemon"
    wait_until has_ended "$daemon"
    records_more n1
    start_profd
    expect 0 "$profctl" start
    wait_until two_are_known
    records_more n1
    records_more n2
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count numbered)" -eq 2 ]
    [ "$(grep -c '	number	' facts)" -gt 100 ]
}

test_the_next_profd_knows_processes_of_one_thread() {
    next_profd_knows_them
}

test_the_next_profd_knows_processes_with_threads() {
    export WITH_IDLE_THREAD=1
    next_profd_knows_them
}

test_killed_three_times() {
    start_numbered 2
    for _ in 1 2 3; do
        kill_profd
        records_more n1
        start_profd
    done
    captures_all_numbers 2
    says '3 times' out.json
}

# A capture that profd was making goes with it; the next one has everything.
test_killed_while_it_captures() {
    start_numbered 2
    in_background "$profctl" capture -o lost.json
    local client=$background
    kill_profd
    wait_until has_ended "$client"
    refute test -e lost.json
    start_profd
    captures_all_numbers 2
}

# A shell that waits for its child records nothing, and would never say hello to the next profd.
test_a_process_that_has_recorded_nothing_is_known_to_the_next_profd() {
    start_profd
    expect 0 "$profctl" start
    start_sleeper
    kill_profd
    start_profd
    says "resuming the session: $shells processes kept, 0 expected to reconnect" profd.log
    knows_sleeper
    kill_profd
    start_profd
    knows_sleeper
    echo >"fifo$shells"
    wait_until sleeper_has_ended
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count sh)" -eq "$shells" ]
}

# A shell that a tick happens to meet while it begins has recorded: then another one is tried.
start_sleeper() {
    shells=0
    until [ $shells -gt 0 ] && knows_sleeper; do
        shells=$((shells + 1))
        [ $shells -le 50 ] || fail "each of 50 shells has recorded"
        mkfifo "fifo$shells"
        # shellcheck disable=SC2016 # for the shell that is profiled
        LD_PRELOAD=$build/lib/libprofd.so in_background sh -c 'read -r line <"$0"' "fifo$shells"
        sleeper=$background
        wait_until is_listed
    done
}

is_listed() {
    "$profctl" status | grep -q "^ *$sleeper .* sh"
}

knows_sleeper() {
    "$profctl" status | grep -q "^ *$sleeper .* sh; nothing recorded yet"
}

sleeper_has_ended() {
    "$profctl" status | grep -q "^ *$sleeper .*exited.* sh"
}

two_are_known() {
    [ "$("$profctl" status | grep -c numbered)" -eq 2 ]
}

test_a_process_started_meanwhile_is_profiled() {
    start_numbered 1
    kill_profd
    # With the environment that a supervised program would give it.
    mapfile -d '' -t environment <"/proc/${writers[0]}/environ"
    in_background env -i "${environment[@]}" "$programs/numbered" late
    wait_until counts_in late
    start_profd
    wait_until two_are_known
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count numbered)" -eq 2 ]
}

test_who_ended_meanwhile_is_kept() {
    start_numbered 2
    records_more n1
    kill_profd
    records_more n1
    kill -KILL "${writers[0]}"
    wait_until has_ended "${writers[0]}"
    start_profd
    captures_all_numbers 2
}

test_who_ended_meanwhile_without_the_keeper_is_counted() {
    start_numbered 2
    kill_profd
    kill_keeper
    kill -KILL "${writers[0]}"
    wait_until has_ended "${writers[0]}"
    start_profd
    says "[1-9][0-9]* ended while" profd.log
    expect 0 "$profctl" capture -o out.json
    says "process(es)? ended while profd was not running" stderr
}

test_who_had_ended_before_is_counted() {
    start_profd -- sh -c 'until [ -e go ]; do sleep 0.02; done; ls; ls; ls; touch end; exec sleep 1000'
    expect 0 "$profctl" start
    touch go
    wait_until test -e end
    wait_until have_ended 3
    for _ in 1 2; do
        kill_profd
        start_profd
        expect 0 "$profctl" capture -o out.json
        says "processes ended earlier" stderr
    done
}

have_ended() {
    [ "$("$profctl" status | grep -c 'exited.* ls')" -eq "$1" ]
}

test_a_paused_session_stays_paused() {
    start_numbered 1
    expect 0 "$profctl" pause
    kill_profd
    start_profd
    expect 0 "$profctl" --json status
    says '"state":[[:space:]]*"paused"' stdout
}

test_a_session_with_a_duration_still_ends() {
    start_profd
    expect 0 "$profctl" start --duration 2s
    kill_profd
    start_profd
    wait_until grep -q "duration has elapsed" profd.log
}

test_a_session_that_was_resumed_after_its_duration_goes_on() {
    start_profd
    expect 0 "$profctl" start --duration 1s
    wait_until session_is paused
    expect 0 "$profctl" resume
    kill_profd
    start_profd
    sleep 0.5
    session_is active
}

session_is() {
    "$profctl" --json status | grep -qE "\"state\":[[:space:]]*\"$1\""
}

test_without_a_session_there_is_none_after() {
    start_profd
    expect 0 "$profctl" start
    expect 0 "$profctl" stop
    kill_profd
    start_profd
    expect 0 "$profctl" --json status
    says '"state":[[:space:]]*"idle"' stdout
}

test_a_session_without_its_ledger_does_not_come_back() {
    start_profd
    expect 0 "$profctl" start
    kill_profd
    rm "$PROFD_SOCKET.leases"
    for _ in 1 2; do
        start_profd
        expect 0 "$profctl" --json status
        says '"state":[[:space:]]*"idle"' stdout
        kill_profd
    done
}

test_a_good_end_leaves_nothing() {
    start_profd
    expect 0 "$profctl" start
    kill -TERM "$daemon"
    wait "$daemon"
    refute compgen -G "$PROFD_SOCKET.*"
}

# end_service [SIGNAL]: as a service manager does, whether it means to start profd again or not.
end_service() {
    kill "-${1:-TERM}" "$daemon"
    wait "$daemon" || true
}

# profile PROGRAM FILE [VARIABLE]: with an agent that finds profd by its socket.
profile() {
    in_background env ${3+"$3"} LD_PRELOAD="$build/lib/libprofd.so" "$programs/$1" "$2"
}

test_a_service_that_is_restarted_goes_on_with_the_session() {
    start_profd --keep-session 1m
    expect 0 "$profctl" start
    profile numbered n1
    profile numbered n2 WITH_IDLE_THREAD=1
    wait_until two_are_known
    for _ in 1 2; do
        records_more n1
        records_more n2
        end_service
        records_more n1
        records_more n2
        start_profd --keep-session 1m
        says 'resuming the session' profd.log
        wait_until are_connected 2
    done
    captures_all_numbers 2
    session_is active
}

# It had the session before its options turned out to be wrong.
test_a_service_that_cannot_start_again_leaves_the_session() {
    start_profd --keep-session 1m
    expect 0 "$profctl" start
    end_service
    expect 1 "$profd" --socket "$PROFD_SOCKET" --keep-session 1m --metrics 192.0.2.1:1
    start_profd --keep-session 1m
    session_is active
}

has() {
    [ "$(cat "$1")" = "$2" ]
}

test_a_session_that_is_left_ends_when_no_profd_comes() {
    start_profd --keep-session 1s
    profile active_flag f1
    profile active_flag f2 WITH_IDLE_THREAD=1
    expect 0 "$profctl" start
    wait_until has f1 1
    wait_until has f2 1
    end_service
    wait_until has f1 0
    wait_until has f2 0
    wait_until no_keeper
    nothing_is_left
    start_profd --keep-session 1s
    refute grep -q 'resuming the session' profd.log
    session_is idle
    expect 0 "$profctl" start
    wait_until has f1 1
    wait_until has f2 1
}

no_keeper() {
    ! pgrep -f "profd-keeper $PROFD_SOCKET"
}

nothing_is_left() {
    refute compgen -G "$PROFD_SOCKET*"
}

test_a_session_that_is_left_without_processes_leaves_nothing_in_the_end() {
    start_profd --keep-session 1s
    expect 0 "$profctl" start
    end_service
    test -e "$PROFD_SOCKET.session"
    wait_until no_keeper
    nothing_is_left
}

test_without_a_session_there_is_nothing_to_leave() {
    start_profd --keep-session 1m
    end_service
    nothing_is_left
    wait_until no_keeper
    start_profd --keep-session 1m
    profile numbered n1
    expect 0 "$profctl" start
    records_more n1
    expect 0 "$profctl" stop
    end_service
    nothing_is_left
    wait_until no_keeper
}

test_ctrl_c_ends_a_session_that_would_be_left() {
    start_profd --keep-session 1m
    expect 0 "$profctl" start
    end_service INT
    refute compgen -G "$PROFD_SOCKET.*"
    wait_until no_keeper
}

# It is a profd of its own that `systemctl stop` ends, with what it started.
test_programs_of_a_service_end_with_it() {
    echo "{ \"programs\": [ { \"name\": \"one\", \"command\": [\"$programs/numbered\", \"n1\"] } ] }" >config.json
    start_profd --keep-session 1m --config config.json
    wait_until counts_in n1
    local program
    program=$(pgrep -P "$daemon" numbered)
    end_service
    has_ended "$program"
    refute test -e "$PROFD_SOCKET.programs"
}

test_a_session_whose_ledger_is_of_no_use_is_given_up_in_one_line() {
    start_profd
    for damage in 'truncate -s 100' rm; do
        expect 0 "$profctl" start
        kill_profd
        $damage "$PROFD_SOCKET.leases"
        start_profd
        says "cannot resume the session .*profd.sock.leases is .*: its files are removed .*start a new one" profd.log
        [ "$(grep -c 'cannot resume' profd.log)" -eq 1 ]
        kill_profd
        start_profd
        refute grep 'cannot resume' profd.log
    done
}

test_a_damaged_session_file_is_said_and_not_used() {
    start_profd
    expect 0 "$profctl" start
    kill_profd
    echo '{"boot": 7' >"$PROFD_SOCKET.session"
    start_profd
    says "cannot resume the session .*profd.sock.session: damaged.*start a new one" profd.log
    kill_profd
    start_profd
    refute grep 'cannot resume' profd.log
    session_is idle
    expect 0 "$profctl" start
}

run_tests "$@"
