#!/bin/bash
# scripts/run-tests counts what tests say, and gives those that failed beside others a second try.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# make_script NAME BODY: a script of tests, which is beside a second one.
make_script() {
    printf '%s\n' '#!/bin/bash' ". '$source_dir/tests/system/lib.sh'" 'build=. programs=.' "$2" 'run_tests "$@"' >"$1"
    chmod +x "$1"
}

# make_check NAME COMMANDS: says what a Check program does that ended with $bad failures.
make_check() {
    printf '%s\n' '#!/bin/bash' bad=0 "$2" 'echo "50%: Checks: 4, Failures: $bad, Errors: 0"' 'exit $bad' >"$1"
    chmod +x "$1"
}

# At the first try it fails, at the second it passes.
flaky() {
    echo "$1() { [ -e '$PWD/$1' ] || { touch '$PWD/$1'; false; }; }"
}

# run_fakes STATUS TOTALS TEST…: the last line of it is TOTALS.
run_fakes() {
    local status=$1 totals=$2
    shift 2
    mkdir -p fake/tests
    expect "$status" env -u TEST_JOBS -u TEST_TIMEOUT "$source_dir/scripts/run-tests" fake "$@"
    [ "$(tail -n 1 stdout)" = "$totals" ] || fail "'$(tail -n 1 stdout)' instead of '$totals'"
    [ "$(cat fake/tests/totals)" = "$totals" ]
}

test_what_fails_beside_others_and_passes_alone_has_passed() {
    make_script ./test_a.sh "test_good() { true; }
        $(flaky test_flaky)"
    make_check ./test_b "[ -e seen ] || { touch seen; bad=1; }"
    run_fakes 0 '6 passed (2 of them alone, at a second try), 0 failed, 0 skipped' ./test_a.sh ./test_b
    grep -qx 'again: test_a.sh test_flaky (failed beside others, passed alone)' stdout
    grep -qx 'again: test_b (failed beside others, passed alone)' stdout
    [ "$(grep -c '^again: ' stdout)" -eq 2 ]
    refute grep -q '^ok test_good' stdout # which was not run again
    grep -q '^fail test_flaky' fake/tests/log/test_a.sh
}

# It failed with one clock or with both: as many failures have passed then.
test_what_runs_with_each_clock_is_counted_as_often_as_it_failed() {
    make_script ./test_a.sh "test_one() { [ \$clock != wall ] || [ -e '$PWD/one' ] || { touch '$PWD/one'; false; }; }"
    sed -i 's/^run_tests /run_tests_with_each_clock /' test_a.sh
    make_check ./test_b :
    run_fakes 0 '6 passed (1 of them alone, at a second try), 0 failed, 0 skipped' ./test_a.sh ./test_b
}

test_what_is_false_fails_also_if_something_follows() {
    make_script ./test_a.sh 'test_one() { false; true; }'
    run_fakes 1 '0 passed, 1 failed, 0 skipped' ./test_a.sh
    sed -i 's/^run_tests /run_tests_with_each_clock /' test_a.sh
    run_fakes 1 '0 passed, 2 failed, 0 skipped' ./test_a.sh
}

test_what_fails_twice_has_failed() {
    make_script ./test_a.sh 'test_good() { true; }
        test_bad() { echo "the reason"; false; }'
    make_check ./test_b bad=2
    run_fakes 1 '3 passed, 3 failed, 0 skipped' ./test_a.sh ./test_b
    [ "$(grep -c 'the reason' stdout)" -eq 2 ]
    grep -qx 'failed: test_a.sh test_b' stdout
    refute grep -q '^again:' stdout
}

# A script that did not come to its end, and one that says nothing.
test_what_names_no_failure_is_tried_again_as_a_whole() {
    make_script ./test_a.sh "test_good() { true; }
        [ -e came ] || { touch came; exit 3; }"
    make_check ./test_b 'exit 0'
    run_fakes 1 '1 passed (1 of them alone, at a second try), 1 failed, 0 skipped' ./test_a.sh ./test_b
    grep -q 'said neither ok nor fail' stdout
}

# One of its functions failed, and those behind the one that ended it never ran.
test_a_script_that_ended_early_is_tried_again_as_a_whole() {
    make_script ./test_a.sh "$(flaky test_first)
        test_second() { [ -e '$PWD/second' ] || { touch '$PWD/second'; kill -USR1 \$\$; }; }
        test_third() { true; }"
    make_check ./test_b :
    run_fakes 0 '7 passed (1 of them alone, at a second try), 0 failed, 0 skipped' ./test_a.sh ./test_b
    grep -qx 'again: test_a.sh (failed beside others, passed alone)' stdout
}

test_what_takes_too_long_has_failed() {
    make_script ./test_a.sh "$(flaky test_first)
        test_second() { [ -e '$PWD/second' ] || { touch '$PWD/second'; sleep 60; }; }"
    make_check ./test_b :
    mkdir -p fake/tests
    expect 1 env -u TEST_JOBS TEST_TIMEOUT=2 "$source_dir/scripts/run-tests" fake ./test_a.sh ./test_b
    grep -qx 'failed: test_a.sh' stdout
    refute grep -q '^again:' stdout
}

test_many_failures_are_no_accident() {
    make_script ./test_a.sh "$(for i in 1 2 3 4 5 6; do flaky test_$i; done)"
    make_check ./test_b :
    run_fakes 1 '4 passed, 6 failed, 0 skipped' ./test_a.sh ./test_b
    run_fakes 0 '10 passed, 0 failed, 0 skipped' ./test_a.sh ./test_b
}

# Nothing is better at a second time for who had the machine for itself.
test_who_failed_alone_has_failed() {
    make_script ./test_a.sh "$(flaky test_flaky)"
    run_fakes 1 '0 passed, 1 failed, 0 skipped' ./test_a.sh
    rm test_flaky
    make_check ./test_b :
    make_check ./test_c :
    sed -i '2i # Runs alone: it is large.' test_a.sh
    run_fakes 1 '8 passed, 1 failed, 0 skipped' ./test_a.sh ./test_b ./test_c
}

run_tests "$@"
