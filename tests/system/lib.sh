# Sourced by tests/system/test_*.sh: a scratch folder for each test, profd's programs, and claims.
#
# A test is a function named test_*. It runs with `set -e` in a shell of its own, in a scratch folder
# that goes away afterwards together with every process that it started; it fails when a command
# fails. What a script says is read by scripts/run-tests.
# shellcheck shell=bash disable=SC2034
set -u

build=${PROFD_BUILD:-$(cd "$(dirname "$0")/../../build/plain" && pwd)}
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
profd=$build/bin/profd
profctl=$build/bin/profctl
programs=${PROFD_PROGRAMS:-$build/tests/programs}
# Until the event that is waited for, on a slow machine.
patience_s=120
# Those that can take samples (profctl run --clock).
clocks="cpu wall"
clock=
skip_status=77
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:verify_asan_link_order=0} # the agent is preloaded before it

# --- Running ---

run_tests() {
    begin_script
    run_all "$@"
    exit
}

# The same once with each clock: its name is in $clock. Not as a part of a condition, where `set -e` is without effect.
run_tests_with_each_clock() {
    local bad=0
    begin_script
    for clock in $clocks; do
        run_all "$@"
        bad=$((bad | $?))
    done
    exit $bad
}

begin_script() {
    trap 'exit 143' TERM # when the test that it reached, too, has cleaned up
    trap 'rm -rf "$made_for_all"' EXIT
    made_for_all=$(mktemp -d "${TMPDIR:-/tmp}/profd-tests.XXXXXX") || exit
    chmod 755 "$made_for_all"
}

# run_all [TEST…]: of this file, or only those called so.
run_all() {
    local test name status start bad=0
    for name in $(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p'); do
        [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
        start=${EPOCHREALTIME/./}
        test=$name${clock:+ ($clock)}
        (run_one "$name")
        status=$?
        case $status in
        0) echo "ok $test in $(((${EPOCHREALTIME/./} - start) / 1000)) ms" ;;
        "$skip_status") ;;
        *) echo "fail $test" && bad=1 ;;
        esac
    done
    return $bad
}

run_one() {
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/profd-test.XXXXXX")
    children=()
    trap 'clean_up' EXIT
    cd "$scratch" || exit 1
    chmod 755 "$scratch"
    export PROFD_SOCKET=$scratch/profd.sock
    set -eE
    trap 'echo "# $test: \"$BASH_COMMAND\" failed with $? (line $LINENO)"; show_output' ERR
    "$1"
}

# What a test started and lost sight of works in its folder.
kill_strays() {
    local link
    cd / || return
    for link in $(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$scratch*" 2>/dev/null); do
        link=${link#/proc/}
        kill -KILL "${link%/cwd}" 2>/dev/null
    done
}

clean_up() {
    local status=$? child
    trap - ERR
    trap '' TERM
    set +e
    for child in "${children[@]}"; do
        kill -CONT "$child" 2>/dev/null
        kill -KILL "$child" 2>/dev/null
        wait "$child" 2>/dev/null
    done
    kill_strays
    mountpoint -q "$scratch/small" 2>/dev/null && umount "$scratch/small"
    rm -rf "$scratch"
    exit $status
}

show_output() {
    local file
    for file in "$scratch"/{stdout,stderr,profd.log}; do
        [ -s "$file" ] && echo "# ${file##*/}:" && head -n 20 "$file" | sed 's/^/#   /'
    done
    return 0
}

fail() {
    echo "# $*"
    show_output
    exit 1
}

skip() {
    echo "skip $test: $*"
    exit $skip_status
}

# --- Doing and waiting ---

# expect STATUS COMMAND…: runs it with its output in ./stdout and ./stderr.
expect() {
    local wanted=$1 got=0
    shift
    timeout --kill-after=5 120 "$@" >stdout 2>stderr </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || fail "status $got instead of $wanted from: $*"
}

# wait_until COMMAND…: until it succeeds. What takes long is looked at less often, which leaves it the processor.
wait_until() {
    local end=$((SECONDS + patience_s)) looks=0
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "gave up waiting for: $*"
        sleep "0.$((looks++ < 25 ? 0 : 1))2"
    done
}

# made_once FILE COMMAND…: FILE is as COMMAND made it here, for the first test of the script that asked for it.
made_once() {
    local file=$1 kept=$made_for_all/${clock:+$clock-}$1
    shift
    if [ ! -e "$kept" ]; then
        "$@"
        cp -p "$file" "$kept.new"
        mv "$kept.new" "$kept"
    fi
    [ -e "$file" ] || cp -p "$kept" "$file"
}

# in_background COMMAND…: its process id is in $background and it ends with the test.
in_background() {
    "$@" </dev/null &
    background=$!
    children+=("$background")
}

# start_profd [ARGUMENT…]: until it answers. Its process id is in $daemon.
start_profd() {
    in_background "$profd" --socket "$PROFD_SOCKET" "$@" >profd.out 2>profd.log
    daemon=$background
    wait_until "$profctl" status
}

is_running() {
    kill -0 "$1" 2>/dev/null
}

has_ended() {
    ! is_running "$1"
}

# one_line FILE: a message for people is one line, not none and not many.
one_line() {
    [ "$(wc -l <"$1")" -eq 1 ] || fail "not one line: $(cat "$1")"
}

says() {
    grep -qiE -- "$1" "$2" || fail "$2 does not say '$1'"
}

# refute COMMAND…: it must fail (a plain "!" would not end the test).
refute() {
    if "$@"; then
        fail "should not be: $*"
    fi
}

need_root() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
}

kill_profd() {
    kill -KILL "$daemon"
    wait "$daemon" || true
}

kill_keeper() {
    pkill -KILL -f "profd-keeper $PROFD_SOCKET"
}

# leased_bytes: of profd's limit.
leased_bytes() {
    "$profctl" --json status | sed -n 's/.*"leased_bytes":[[:space:]]*\([0-9]*\).*/\1/p'
}

# --- Programs to profile ---

# counts_in FILE: `numbered` and `writer` have written numbers there. The file is as large as ever before the first.
counts_in() {
    [ -s "$1" ] && [ "$(od -An -tu8 -N8 "$1" | tr -d ' ')" -ge 3 ]
}

# make_spinner FUNCTION: ./spin, which uses half a second of CPU time in FUNCTION (line 3 of ./spin.c), with DWARF.
make_spinner() {
    cat >spin.c <<C
#include <time.h>
__attribute__((noinline)) double $1(double from)
{
    for (int i = 0; i < 1000000; i++)
        from = from * 1.0000001 + 0.5;
    return from;
}
int main(void)
{
    double sum = 1;
    while (clock() < CLOCKS_PER_SEC / 2)
        sum = $1(sum);
    return sum < 0;
}
C
    gcc -g -O1 -Wl,--build-id=sha1 -o spin spin.c
}

# --- Looking at captures ---

# read_facts CAPTURE: into ./facts (tests/system/programs/capture_facts.c tells what is in there).
read_facts() {
    gzip -cdf "$1" | "$programs/capture_facts" >facts || fail "$1 is not a profile"
}

is_utf8() {
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null || fail "$1 is no UTF-8"
}

# process_count NAME: how many processes of the capture are called so.
process_count() {
    awk -F'\t' -v name="$1" '$1 == "process" && $3 == name' facts | wc -l
}

has_process() {
    [ "$(process_count "$1")" -ge 1 ] || fail "no process $1 among: $(cut -f3 <(grep ^process facts) | sort -u | xargs)"
}

# has_function PROCESS NAME: a function, label or marker of a process called so.
has_function() {
    awk -F'\t' -v process="$1" -v name="$2" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "string" && ($2 in pids) && ($3 == name || index($3, name " (") == 1) { found = 1 }
        END { exit !found }' facts || fail "$1 has no $2"
}

# samples_of PROCESS THREAD: how many samples the threads called so have.
samples_of() {
    awk -F'\t' -v process="$1" -v name="$2" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "thread" && ($2 in pids) && $3 == name { samples += $4 }
        END { print samples + 0 }' facts
}

# counted PROCESS COUNTER: "COUNT OPERATIONS" of each of the processes called so that has the counter.
counted() {
    awk -F'\t' -v process="$1" -v name="$2" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "counter" && ($2 in pids) && $3 == name { print $5, $6 }' facts
}

# ended PROCESS VERDICT CODE: what became of at least one of the processes called so.
ended() {
    paste <(meta_of "$1" profd.verdict) <(meta_of "$1" profd.code) | grep -qx "$2	$3" ||
        fail "$1 is not $2 ($3) but: $(meta_of "$1" profd.verdict | xargs) $(meta_of "$1" profd.code | xargs)"
}

# meta_of PROCESS KEY: values of a key of the processes called so.
meta_of() {
    awk -F'\t' -v process="$1" -v key="$2" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "meta" && ($2 in pids) && $3 == key { print $4 }' facts
}
