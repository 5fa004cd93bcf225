#!/bin/bash
# However processes start and end, they are in the profile.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_kill_9_keeps_what_was_recorded() {
    in_background "$profctl" run --clock "$clock" -o out.json -- "$programs/busy" 60 pid
    wait_until test -s pid
    kill -KILL "$(cat pid)"
    local status=0
    wait "$background" || status=$?
    [ $status -eq 137 ]
    read_facts out.json
    has_function busy burn_outer
    ended busy killed 9
}

test_crash_leaves_a_profile_and_its_signal() {
    expect 139 "$profctl" run --clock "$clock" -o out.json -- "$programs/crash"
    read_facts out.json
    has_function crash before_crash
    ended crash killed 11
}

test_tree_of_forks_and_execs() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- \
        sh -c "'$programs/busy' 0.1; (/bin/true; '$programs/busy' 0.1); exec '$programs/busy' 0.1"
    read_facts out.json
    has_process sh
    has_process true
    [ "$(process_count busy)" -eq 3 ]
    ended true exited 0
}

test_exit_status_of_each_process() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- sh -c "sh -c 'exit 7'; '$programs/busy' 0.05; exit 0"
    read_facts out.json
    ended sh exited 7
    ended busy exited 0
}

test_processes_of_a_few_milliseconds() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; done'
    read_facts out.json
    [ "$(process_count true)" -eq 10 ]
}

test_exec_in_one_process_is_several_programs_with_ids_of_their_own() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- "$programs/exec_chain" 2 "$programs/busy" 0.1
    read_facts out.json
    [ "$(process_count exec_chain)" -eq 3 ]
    [ "$(process_count busy)" -eq 1 ]
    [ "$(meta_of exec_chain profd.verdict | sort -u)" = execed ]
    [ -z "$(grep ^process facts | cut -f2 | sort | uniq -d)" ]
}

# As programs do that start themselves again: sandboxes, browsers, containers.
test_program_started_by_a_link_of_the_kernel_has_its_own_name() {
    in_background "$programs/busy" 60
    expect 0 "$profctl" run --clock "$clock" -o out.json -- "/proc/$background/exe" 0.2
    kill -KILL "$background"
    read_facts out.json
    has_function busy burn_outer
}

test_vfork_and_posix_spawn() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- "$programs/spawn" "$programs/busy" 0.1
    read_facts out.json
    [ "$(process_count busy)" -eq 2 ]
    has_function spawn burn_outer
}

test_daemonised_grandchild_is_known() {
    expect 0 "$profctl" run --clock "$clock" -o out.json -- \
        sh -c "(setsid '$programs/busy' 0.3 ended >/dev/null 2>&1 &); while [ ! -e ended ]; do /bin/sleep 0.05; done"
    read_facts out.json
    has_process busy
}

test_child_that_changes_its_user() {
    need_root
    chmod 777 .
    expect 0 "$profctl" run --clock "$clock" -o out.json -- "$programs/change_user" 65534
    read_facts out.json
    grep -q work_without_privileges facts
}

# A program is listed once, whatever link it was started by, and nothing is said to be missing.
test_a_program_of_another_user_is_one_process() {
    need_root
    command -v runuser >/dev/null || skip "needs runuser"
    chmod 777 .
    ln -s "$programs/busy" link
    expect 0 "$profctl" run --strict --clock "$clock" -o out.json -- runuser -u nobody -- "$PWD/link" 0.3
    read_facts out.json
    [ "$(process_count link)" -eq 1 ]
    ended link exited 0
    [ "$(samples_of link GeckoMain)" -gt 10 ]
}

# An image of another user that profd had not let record is no gap when its process goes on.
test_a_program_of_another_user_that_becomes_another_at_once() {
    need_root
    command -v runuser >/dev/null || skip "needs runuser"
    chmod 777 .
    expect 0 "$profctl" run --strict --clock "$clock" -o out.json -- \
        runuser -u nobody -- /bin/sh -c "exec '$programs/busy' 0.3"
    read_facts out.json
    [ "$(process_count busy)" -eq 1 ]
    ended busy exited 0
    [ "$(process_count sh)" -le 1 ]
}

# leaves_once HOW: the connection of a process ends before it does, and it is no exec.
leaves_once() {
    ln -s "$programs/leaves" link
    # shellcheck disable=SC2016
    start_profd -- sh -c 'until [ -e go ]; do sleep 0.02; done; ./link "$1"; echo $? >ran; exec sleep 100' x "$1"
    expect 0 "$profctl" start --clock "$clock"
    touch go
    wait_until test -s ran
    [ "$(cat ran)" -ne 77 ] || skip "needs user namespaces"
    [ "$(cat ran)" -eq 0 ]
    expect 0 "$profctl" capture --strict -o out.json
    read_facts out.json
    refute grep -q execed <(meta_of link profd.verdict)
    [ "$(process_count process)" -eq 0 ]
}

test_a_user_namespace_is_no_exec() {
    leaves_once namespace
    [ "$(process_count link)" -eq 1 ]
}

test_the_end_of_the_only_thread_is_no_exec() {
    leaves_once thread
    [ "$(process_count link)" -eq 2 ]
}

# A folder like those of profctl run, and a program that may have ended before profd answers it.
test_programs_of_another_user_are_listed_with_the_true_reason() {
    need_root
    command -v runuser >/dev/null || skip "needs runuser"
    chmod 777 .
    expect 0 "$profctl" run --clock "$clock" -o out.json -- runuser -u nobody -- /bin/sh -c ':; exec /bin/true'
    read_facts out.json
    refute grep -q 'its arena could not be made' facts
    meta_of sh profd.reason | grep -q "another user" || [ "$(samples_of sh GeckoMain)" -gt 0 ]
    has_process true
}

# As above, with a profd that comes to their hellos when they have gone.
test_programs_of_another_user_that_ended_before_profd_looked() {
    need_root
    command -v runuser >/dev/null || skip "needs runuser"
    chmod 777 .
    start_profd -- sh -c "until [ -e go ]; do sleep 0.02; done
        runuser -u nobody -- /bin/sh -c ':; exec /bin/true'; touch ran; exec sleep 100"
    expect 0 "$profctl" start --clock "$clock"
    kill -STOP "$daemon"
    touch go
    wait_until test -e ran
    kill -CONT "$daemon"
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_process true
    for name in sh true; do
        grep -q "another user" <(meta_of $name profd.reason) || fail "$name: $(meta_of $name profd.reason | xargs)"
    done
    refute grep -q 'never said hello' facts
}

run_tests_with_each_clock "$@"
