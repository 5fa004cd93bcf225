#!/bin/bash
# profd, agents and profctl of the last version and of this one understand each other, whichever is older: a
# session survives the upgrade of profd, and programs that began before it are in the capture.
#
# The last version is what `make last-version` builds, as `make check` does; without it there is nothing to compare with.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

last=${PROFD_LAST_VERSION:-$source_dir/build/last-version/source/build/plain}

need_last_version() {
    [ -x "$last/bin/profd" ] || skip "needs \`make last-version\`"
}

# of_builds AGENT PROFD PROFCTL: where each is from.
of_builds() {
    agent=$1/lib/libprofd.so
    profd=$2/bin/profd
    profctl=$3/bin/profctl
}

# make_program NAME [FLAG]: it burns CPU time until it is killed, with FLAG beside a thread that sleeps. It is not
# linked with the library of this version.
make_program() {
    cat >"$1.c" <<'END'
#include <pthread.h>
#include <unistd.h>
static volatile unsigned long count;
__attribute__((noinline)) void burn_outer(void) { for (int i = 0; i < 1000000; i++) count++; }
void *sleeper(void *nothing) { pause(); return nothing; }
int main(void)
{
    pthread_t thread;
    if (IS_THREADED && pthread_create(&thread, NULL, sleeper, NULL) != 0)
        return 1;
    for (;;)
        burn_outer();
}
END
    cc -O1 -g -pthread "-DIS_THREADED=${2-0}" -o "$1" "$1.c"
}

# A program with threads of ours and one without, with the agent, which begin before the session; they are captured.
capture_both() {
    make_program lone
    make_program threaded 1
    start_profd
    in_background env LD_PRELOAD="$agent" ./lone
    in_background env LD_PRELOAD="$agent" ./threaded
    wait_until has_agents lone threaded
    expect 0 "$profctl" start
    wait_until has_samples lone threaded
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_function lone burn_outer
    has_function threaded burn_outer
    refute grep -qi 'version' profd.log
}

has_agents() {
    local name
    "$profctl" status >status
    for name in "$@"; do
        grep -qw "$name" status || return 1
    done
}

# has_samples PROCESS…: the session has recorded each.
has_samples() {
    local name
    "$profctl" capture -o look.json || return 1
    read_facts look.json
    for name in "$@"; do
        (has_function "$name" burn_outer) || return 1
    done
}

test_agents_of_the_last_version() {
    need_last_version
    of_builds "$last" "$build" "$build"
    capture_both
}

test_profd_of_the_last_version() {
    need_last_version
    of_builds "$build" "$last" "$last"
    capture_both
}

test_profctl_of_this_version_with_profd_of_the_last_one() {
    need_last_version
    of_builds "$last" "$last" "$build"
    capture_both
}

test_profctl_of_the_last_version_with_profd_of_this_one() {
    need_last_version
    of_builds "$build" "$build" "$last"
    capture_both
}

# The session of a profd that is killed goes on with the one that was installed meanwhile.
test_upgrade_while_a_session_runs() {
    need_last_version
    of_builds "$last" "$last" "$last"
    capture_both
    kill -KILL "$daemon"
    wait "$daemon" 2>/dev/null || true
    of_builds "$build" "$build" "$build"
    start_profd
    wait_until grep -q 'resuming the session' profd.log
    make_program later
    in_background env LD_PRELOAD="$agent" ./later
    wait_until has_samples lone threaded later
    refute grep -qi 'version' profd.log
}

# What profctl reads for ever.
test_captures_of_the_last_version_are_read() {
    need_last_version
    make_program old
    expect 124 "$last/bin/profctl" --quiet run -o old.json -- timeout -s TERM 1 ./old
    gzip -k old.json
    for file in old.json old.json.gz; do
        expect 0 "$profctl" report "$file"
        grep -q burn_outer stdout || fail "report of $file does not know burn_outer"
    done
    for format in processed.json trace.json speedscope.json html; do
        expect 0 "$profctl" convert old.json -o "new.$format"
        grep -q burn_outer "new.$format" || [ "$format" = html ] || fail "new.$format does not know burn_outer"
    done
}

run_tests "$@"
