#!/bin/bash
# Which clock takes the samples: what is asked for, and who hears of it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_a_clock_that_is_none_is_refused() {
    expect 2 "$profctl" run --clock pref -- touch started
    one_line stderr
    says "'pref' is none of auto, cpu, perf, wall; did you mean 'perf'\?" stderr
    [ ! -e started ]
    start_profd
    expect 2 "$profctl" start --clock monotonic
    one_line stderr
    says "'monotonic' is none of" stderr
    expect 2 "$profctl" start --clock
    one_line stderr
    expect 0 "$profctl" status
    says '^session +idle' stdout
}

test_a_clock_of_the_environment_that_is_none_is_told_and_nothing_is_recorded() {
    expect 42 env -u PROFD_SOCKET LD_PRELOAD="$build/lib/libprofd.so" PROFD_STARTUP=1 \
        PROFD_STARTUP_CLOCK=pref PROFD_SHUTDOWN=out.json sh -c 'exit 42'
    one_line stderr
    says "PROFD_STARTUP_CLOCK 'pref' is none of auto, cpu, perf, wall; did you mean 'perf'\?; nothing is recorded" stderr
    [ ! -e out.json ]
}

# From before they are connected.
test_programs_of_the_session_are_told_its_clock() {
    for clock in cpu perf wall; do
        expect 0 "$profctl" --quiet run --clock $clock -o out.json -- env
        [ "$(grep ^PROFD_STARTUP_CLOCK= stdout)" = PROFD_STARTUP_CLOCK=$clock ] || fail "$(grep PROFD stdout)"
    done
    expect 0 env PROFD_STARTUP_CLOCK=wall "$profctl" --quiet run -o out.json -- env
    refute grep ^PROFD_STARTUP_CLOCK= stdout
}

test_the_clock_outlives_a_profd_that_is_killed() {
    start_profd
    expect 0 "$profctl" start --clock wall
    kill -KILL "$daemon"
    wait "$daemon" || true
    start_profd
    expect 0 "$profctl" status --json
    says '"clock":"wall"' stdout
}

run_tests "$@"
