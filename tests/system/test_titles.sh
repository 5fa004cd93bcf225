#!/bin/bash
# Processes that give themselves titles are called so: in captures, in reports, and where they are
# asked for by name.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The kernel tells the arguments of the loader.
test_a_program_that_the_loader_runs_has_its_own_name() {
    start_profd -- sh -c "until [ -e go ]; do sleep 0.02; done; exec /lib64/ld-linux-x86-64.so.2 '$programs/busy' 60"
    expect 0 "$profctl" start
    touch go
    # Of one that has been looked at.
    wait_until sh -c "'$profctl' status --json | grep -q programs/busy"
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count busy)" -eq 1 ] || fail "processes: $(grep ^process facts)"
}

# Under a profd that lets processes be alone; profctl run ends when all have ended.
run_titles() {
    touch end
    expect 0 "$profctl" run -o out.json -- "$programs/titles" "$PWD"
    read_facts out.json
}

# Under a profd of its own, until all but the server and the idle one have ended.
start_titles() {
    start_profd -- sh -c "until [ -e go ]; do sleep 0.02; done; exec '$programs/titles' '$PWD'"
    expect 0 "$profctl" start
    touch go
    wait_until test -e ready
}

has_all_titles() {
    for title in server brief busy killed idle; do
        [ "$(process_count "titles: $title")" -ge 1 ] || fail "no $title among: $(grep ^process facts | cut -f3 | sort | xargs)"
    done
    has_process 'titled thread'
    has_process 'true'
    # The parent's, of a child without a title of its own.
    [ "$(process_count 'titles: server')" -eq 2 ]
    has_function 'titles: busy' burn_outer
    [ "$(process_count titles)" -eq 0 ]
    meta_of 'titles: busy' profd.executable | grep -q "programs/titles$"
    ended 'titles: killed' killed 9
}

test_titles_at_the_end() {
    run_titles
    has_all_titles
}

test_titles_of_those_that_live() {
    start_titles
    expect 0 "$profctl" capture -o out.json
    expect 0 "$profctl" status
    says 'titles \(titles: server\)' stdout
    says 'titles \(titles: idle\)' stdout
    touch end
    read_facts out.json
    has_all_titles
    has_process 'titles: execer'
}


test_a_title_finds_the_process_and_so_does_the_program() {
    start_titles
    expect 0 "$profctl" capture -o out.json --process 'S: IDLE'
    read_facts out.json
    [ "$(grep -c '^process' facts)" -eq 2 ] # with profd
    has_process 'titles: idle'
    expect 0 "$profctl" capture -o out.json --process 'titles: busy'
    read_facts out.json
    [ "$(grep -c '^process' facts)" -eq 2 ]
    has_function 'titles: busy' burn_outer
    expect 0 "$profctl" capture -o out.json --process titles
    touch end
    read_facts out.json
    [ "$(grep -c '^process' facts)" -ge 9 ]
}

test_a_report_tells_them_apart() {
    run_titles
    expect 0 "$profctl" report out.json
    says '^titles: busy: .* CPU' stdout
    says '1 × titles: killed: killed by SIGKILL' stdout
    refute grep -q '^titles (' stdout
}

run_tests "$@"
