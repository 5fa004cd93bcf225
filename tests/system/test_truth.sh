#!/bin/bash
# CPU time is booked to the functions that used it: profiles of programs that know better.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Of a profile; one with too few samples to tell anything is followed by a longer one, up to so many.
seconds=2
most_seconds=16

# --- Who judges ---

# A program of 200 ms, 190 of them in two functions, one of which calls the other.
write_truth() {
    cat >truth <<'LINES'
program	10	known
hz	250
thread	11	one	100000000	10000000
function	11	first	60000000	600
function	11	second	30000000	300
thread	12	two	100000000	0
function	12	first	100000000	1000
LINES
}

# judged NAME NUMBER: a value of the judgement.
judged() {
    [ "$(value_of "$1")" = "$2" ] || fail "$1 is $(value_of "$1") instead of $2"
}

value_of() {
    awk -F'\t' -v name="$1" '$1 == "value" && $2 == name { print $3 }' stdout
}

# The right answers for what both profiles below say.
judged_as_it_should_be() {
    expect 0 "$programs/judge_truth" truth "$1"
    grep -qx $'function\tfirst\t160.000\t150.000' stdout
    grep -qx $'function\tsecond\t30.000\t20.000' stdout
    grep -qx $'thread\t11\tone\t100.000\t100.000\t4\t40.0' stdout
    grep -qx $'thread\t12\ttwo\t100.000\t100.000\t1\t10.0' stdout
    judged hz 250
    judged cpu_ms 200.000
    judged booked_ms 200.000
    judged samples 5
    judged error 5.000
    judged chance 13.543 # 0.4 * (sqrt(0.8 * 0.2 / 5) + sqrt(0.15 * 0.85 / 5))
    judged spread 1.294 # sqrt(5 * (50² + 20² + 20² + 10² + 100²)) / 200
    judged other 15.000
    judged true_other 5.000
    judged blocking 10.000
    judged sum 0.000
    judged rate 25.0
}

# capture UNIT SCALE: the samples of thread "one" are, in ms: 50 in first called by second, 20 in second, 20
# in epoll_wait, 10 without a stack, and one of no time; of "two" 100 in first. A thread of another program has its id.
capture() {
    sed -e "s/UNIT/$1/; s/MS/$2/g" <<'JSON'
{ "meta": { "sampleUnits": { "threadCPUDelta": "UNIT" } }, "threads": [], "processes": [
  { "threads": [
    { "processName": "known", "tid": 11,
      "samples": { "schema": { "time": 0, "stack": 1, "threadCPUDelta": 2 },
        "data": [ [1, 2, 50MS], [2, 1, 20MS], [3, 3, 20MS], [4, null, 10MS], [5, 2, 0], [6, 1] ] },
      "stackTable": { "schema": { "frame": 1, "prefix": 0 }, "data": [ [null, 0], [0, 1], [1, 2], [0, 3] ] },
      "frameTable": { "schema": { "location": 0 }, "data": [ [3], [1], [0], [2] ] },
      "stringTable": [ "first (in known)", "second (in known)", "epoll_wait (in libc.so.6)", "main (in known)" ] },
    { "processName": "known", "tid": 12,
      "samples": { "schema": { "stack": 0, "threadCPUDelta": 1 }, "data": [ [0, 100MS] ] },
      "stackTable": { "schema": { "prefix": 0, "frame": 1 }, "data": [ [null, 0] ] },
      "frameTable": { "schema": { "location": 0 }, "data": [ [0] ] },
      "stringTable": [ "first (in known)" ] } ] },
  { "threads": [
    { "processName": "other", "tid": 11,
      "samples": { "schema": { "stack": 0, "threadCPUDelta": 1 }, "data": [ [0, 100MS] ] },
      "stackTable": { "schema": { "prefix": 0, "frame": 1 }, "data": [ [null, 0] ] },
      "frameTable": { "schema": { "location": 0 }, "data": [ [0] ] },
      "stringTable": [ "first (in other)" ] } ] } ] }
JSON
}

test_the_judge_knows_captures() {
    write_truth
    capture µs 000 >capture.json
    judged_as_it_should_be capture.json
    capture ns 000000 >capture.json
    judged_as_it_should_be capture.json
}

test_the_judge_knows_perf() {
    write_truth
    printf '%s\n' \
        '     11   50000000 ' $'\t            11c0 first' $'\t            131e second' $'\t  131e main' '' \
        '     11   20000000 ' $'\t            131e second' '' \
        '     11   20000000 ' $'\tffffffff81234567 ep_poll' $'\t    11111 epoll_wait@@GLIBC_2.3.2' '' \
        '     11   10000000 ' $'\tffffffff81234567 ep_poll_callback' $'\t    11111 [unknown]' '' \
        '     99   10000000 ' $'\t            11c0 first' '' \
        '     12  100000000 ' $'\t            11c0 first' '' >perf.txt
    judged_as_it_should_be perf.txt
}

test_the_judge_refuses_what_tells_nothing() {
    write_truth
    capture µs 000 >capture.json
    expect 2 "$programs/judge_truth" truth
    expect 2 "$programs/judge_truth" truth missing
    expect 1 "$programs/judge_truth" capture.json capture.json
    expect 1 "$programs/judge_truth" truth truth
    : >empty
    expect 1 "$programs/judge_truth" truth empty
    head -c 200 capture.json >half.json
    expect 1 "$programs/judge_truth" truth half.json
}

# --- Profiles ---

# profile_for SECONDS CLOCK MODE: and what the judge says of it, in ./stdout.
profile_for() {
    expect 0 "$profctl" run --clock "$2" -o out.json -- "$programs/known_truth" "$3" "$1"
    mv stdout truth
    expect 0 "$programs/judge_truth" truth out.json
}

# profile CLOCK MODE. Where other programs want the processors as well, the kernel switches away from a thread that
# reads its CPU clock, as those of known_truth always do, right there, before it meets a tick: it has few samples.
profile() {
    local length=$seconds
    profile_for "$length" "$@"
    until has_samples || [ $((length *= 2)) -gt $most_seconds ]; do
        profile_for $length "$@"
    done
    has_samples ||
        fail "only $(value_of samples) samples of $(value_of cpu_ms) ms, spread $(value_of spread)"
}

# is_at_most VALUE LIMIT: a value of the judgement; in LIMIT names stand for the values called so.
is_at_most() {
    awk -F'\t' -v name="$1" -v limit="$2" '
        $1 == "value" { values[$2] = $3 < 0 ? -$3 : $3 }
        END {
            terms = split(limit, term, /[+]/)
            for (i = 1; i <= terms; i++) {
                factors = split(term[i], factor, /[*]/)
                product = 1
                for (j = 1; j <= factors; j++)
                    product *= factor[j] in values ? values[factor[j]] : factor[j]
                most += product
            }
            exit !(name in values && values[name] <= most)
        }' stdout || fail "$1 is more than $2: $(grep -P '^(value|function)' stdout | cut -f2- | tr '\t\n' ' ,')"
}

# A profile without samples is as right as chance makes it.
has_samples() {
    awk -v samples="$(value_of samples)" -v spread="$(value_of spread)" \
        'BEGIN { exit !(samples / spread / spread >= 60) }'
}

# The thread's CPU time is all there, and where it was used.
is_true() {
    is_at_most sum 1.5
    is_at_most error 2*chance*spread+2
}

# profile_truly CLOCK MODE: what chance does in one of some hundred profiles, it does not do twice.
profile_truly() {
    profile "$@"
    (is_true) >/dev/null && return
    profile "$@"
    is_true
}

test_busy_threads() {
    profile_truly cpu busy
    profile_truly perf busy
    profile_truly wall busy
}

test_threads_that_nap() {
    profile_truly cpu napping
    is_at_most blocking 25
    profile_truly perf napping
    is_at_most blocking 25
    profile_truly wall napping
    is_at_most blocking 30 # which is where our signals wake them
}

# A profile in which CPU time is booked elsewhere is no matter of course: the judge must see it, also where few samples
# leave much to chance.
test_a_false_profile_is_not_true() {
    profile cpu napping
    sed -i -E 's/^(function\t[0-9]+\t(mix_integers|divide_reals|chase_links))\t/\1_away\t/' truth
    expect 0 "$programs/judge_truth" truth out.json
    if (is_true) >/dev/null; then
        fail "a profile of which functions are missing is true"
    fi
}

test_threads_that_hand_a_mutex_to_and_fro() {
    profile_truly cpu handover
    is_at_most blocking 20
}

test_time_in_the_kernel() {
    profile_truly cpu syscalls
}

test_threads_that_wait_for_each_other() {
    profile_truly cpu blocking
    is_at_most blocking 20
}

run_tests "$@"
