# Sourced by scripts/bench: is CPU time booked where it was used? Programs of known truth, in profiles and in perf's.
# shellcheck shell=bash disable=SC2034,SC2154

truth_seconds=2

# judge_profctl CLOCK MODE: what judge_truth says.
judge_profctl() {
    profctl_run "$1" -- "$programs/known_truth" "$2" "$truth_seconds" >"$scratch/truth" &&
        "$programs/judge_truth" "$scratch/truth" "$scratch/capture.json"
}

judge_perf() {
    perf_record "$programs/known_truth" "$1" "$truth_seconds" >"$scratch/truth" 2>"$scratch/stderr" &&
        perf script --no-inline -i "$scratch/perf.data" -F tid,period,ip,sym >"$scratch/samples" 2>"$scratch/stderr" &&
        "$programs/judge_truth" "$scratch/truth" "$scratch/samples"
}

start_spinners() {
    local i
    spinners=()
    for ((i = 0; i < 4; i++)); do
        # shellcheck disable=SC2016 # it never ends
        sh -c 'while :; do :; done' &
        spinners+=($!)
    done
    background+=("${spinners[@]}")
}

stop_spinners() {
    kill "${spinners[@]}"
    wait "${spinners[@]}" 2>/dev/null || true
}

# truth_figure NAME <JUDGEMENTS: medians of the error, and of what chance makes of a profile that is right.
truth_figure() {
    local judgements error chance
    judgements=$(cat)
    error=$(value error <<<"$judgements" | median)
    chance=$(value chance <<<"$judgements" | median)
    figure "truth: $1" "$error" % "$(awk -v chance="$chance" 'BEGIN { print 1.5 * chance + 1 }')"
}

# truth_of NAME MODE [perf]: of each clock, and of perf.
truth_of() {
    local name=$1 mode=$2 with_perf=false round clock
    [ -z "${3-}" ] || ! "$perf_works" || with_perf=true
    rm -f "$scratch"/judged-*
    for ((round = 0; round < rounds; round++)); do
        for clock in "${clocks[@]}"; do
            judge_profctl "$clock" "$mode" >>"$scratch/judged-$clock"
        done
        ! "$with_perf" || judge_perf "$mode" >>"$scratch/judged-by-perf"
    done
    for clock in "${clocks[@]}"; do
        truth_figure "$name, $(clock_name "$clock")" <"$scratch/judged-$clock"
    done
    ! "$with_perf" || truth_figure "$name, perf" <"$scratch/judged-by-perf"
}

# What a clock may be off where threads wait: the kernel's tick meets no part of a switch.
most_points_of() {
    case $1 in
    perf) echo 2 ;;
    *) echo 5 ;;
    esac
}

# Points of the CPU time that are booked to calls that wait, above what perf books there.
blocking_of() {
    local name=$1 clock
    "$perf_works" || return 0
    for clock in "${clocks[@]}"; do
        figure "booked to waiting, above perf: $name, $(clock_name "$clock")" "$(
            paste <(value blocking <"$scratch/judged-$clock") <(value blocking <"$scratch/judged-by-perf") |
                awk '{ print $1 - $2 }' | median
        )" points "$(most_points_of "$clock")"
    done
}

# Points of the CPU time that are booked elsewhere than in the program's functions, off what it used there:
# what profiling makes the program spend in calls is truly spent there.
elsewhere_of() {
    local name=$1 clock
    for clock in "${clocks[@]}"; do
        figure "booked to waiting and all else, off the truth: $name, $(clock_name "$clock")" "$(
            paste <(value other <"$scratch/judged-$clock") <(value true_other <"$scratch/judged-$clock") |
                awk '{ print ($1 > $2 ? $1 - $2 : $2 - $1) }' | median
        )" points "$(most_points_of "$clock")"
    done
}

# Samples for a second of CPU time.
rate_of() {
    local name=$1 of_hz=$2 clock limit
    for clock in "${clocks[@]}"; do
        case $clock in
        perf) limit=950 ;;
        *) limit=$(value hz <"$scratch/judged-$clock" | median | awk -v of="$of_hz" '{ print $1 * of }') ;;
        esac
        figure "samples for a CPU second: $name, $(clock_name "$clock")" \
            "$(value rate <"$scratch/judged-$clock" | median)" "/s at least" "$limit"
    done
}

# The sum of a thread's samples, and its CPU clock.
sum_of() {
    local name=$1 clock
    for clock in "${clocks[@]}"; do
        figure "thread's samples, off its CPU clock: $name, $(clock_name "$clock")" \
            "$(value sum <"$scratch/judged-$clock" | tr -d - | median)" % 1
    done
}

truth() {
    perf_works=false
    if can_perf; then
        perf_works=true
    else
        not_measured "booked to waiting, above perf" "perf is not here or may not record"
    fi
    truth_of busy busy
    sum_of busy
    rate_of busy 0.95
    truth_of napping napping perf
    sum_of napping
    rate_of napping 0.85
    blocking_of napping
    elsewhere_of napping
    truth_of "in the kernel" syscalls
    truth_of "waiting for each other" blocking perf
    blocking_of "waiting for each other"
    elsewhere_of "waiting for each other"
    truth_of handover handover perf
    blocking_of handover
    elsewhere_of handover
    start_spinners
    truth_of "busy beside four spinners" busy
    truth_of "napping beside four spinners" napping
    stop_spinners
}
