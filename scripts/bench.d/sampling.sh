# Sourced by scripts/bench: samples.
# shellcheck shell=bash disable=SC2154

# Ticks of the kernel in a second.
hz() {
    "$programs/known_truth" busy 0.01 | awk -F'\t' '$1 == "hz" { print $2 }'
}

# awaited_rate CLOCK: samples in a second of a busy thread.
awaited_rate() {
    if [ "$1" = cpu ]; then
        hz
    else
        echo 1000
    fi
}

# gap_ratios CLOCK FRAMES: each round's gap of a sample / an empty handler's, which the same kind of timer calls.
gap_ratios() {
    local clock=$1 frames=$2 round rate empty sampled
    rate=$(awaited_rate "$clock")
    for ((round = 0; round < rounds; round++)); do
        empty=$("$bench/program_gap" "$clock" 0.5 "$frames" "$rate" | value gap_ns)
        sampled=$(run_profiled "$bench/program_gap" sampled 0.5 "$frames" "$rate" | value gap_ns)
        echo "$empty $sampled"
    done | awk '{ print $2 / $1 }'
}

gap() {
    local clock
    for clock in "${clocks[@]}"; do
        figure "a sample's gap / an empty handler's, 10 frames, $(clock_name "$clock")" "$(gap_ratios "$clock" 10 | median)" x 1.3
        figure "... 40 frames" "$(gap_ratios "$clock" 40 | median)" x 1.8
    done
}

# added_by RATE BARE-US COMMAND…: microseconds of CPU time for a sample, in the thread and everywhere else: the gaps, and from runs of
# two lengths what is not the thread's own. Of a clock that needs no more interrupts than there are, only what is longer.
added_by() {
    local rate=$1 bare_us=$2 short=0.5 long=5.5 seconds cpu
    shift 2
    for seconds in "$short" "$long"; do
        cpu=$(seconds_of "$@" "$bench/program_gap" sampled "$seconds" 40 "$rate" | awk '{ print $2 }')
        echo "$seconds $cpu $(value own_cpu_s <"$scratch/stdout") $(value gap_ns <"$scratch/stdout")"
    done | awk -v rate="$rate" -v bare_us="$bare_us" '
        { others[NR] = $2 - $3; length_s[NR] = $1; gap_us = $4 / 1000 }
        END { print gap_us - bare_us + (others[2] - others[1]) * 1e6 / (length_s[2] - length_s[1]) / rate }'
}

sample_cost() {
    local what="CPU for a sample of 40 frames / perf record -g" round clock rate bare_us theirs
    can_perf || { not_measured "$what" "perf is not here or may not record"; return; }
    for clock in "${clocks[@]}"; do
        rate=$(awaited_rate "$clock")
        for ((round = 0; round < rounds; round++)); do
            bare_us=0
            [ "$clock" != cpu ] || bare_us=$("$bench/program_gap" bare 0.5 40 "$rate" | value gap_ns | awk '{ print $1 / 1000 }')
            theirs=$(added_by 1000 0 perf_record)
            echo "$(added_by "$rate" "$bare_us" profctl_run "$clock" --no-symbols --) $theirs"
        done >"$scratch/costs"
        figure "$what, $(clock_name "$clock")" "$(awk '{ print $1 / $2 }' "$scratch/costs" | median)" x 1
        row "... microseconds, of both" "$(awk '{ print $1 }' "$scratch/costs" | median), $(awk '{ print $2 }' "$scratch/costs" | median)" - -
    done
}

unwinding() {
    if [ -x "$bench/bench_unwind" ]; then
        # It says "NAME RATIO LIMIT ok-or-over".
        table < <("$bench/bench_unwind" 2>/dev/null | awk -v OFS='\t' '{
            gsub("_", " ", $1)
            print "figure", $1, $2, "x", $3
        }')
    else
        not_measured "unwinding" "no bench_unwind"
    fi
}

# kept_and_samples SECONDS: bytes that the buffers of a deep program held, and how many samples there were, as every
# capture tells.
kept_and_samples() {
    run_profiled "$bench/program_deep" "$1"
    "$build/tests/programs/capture_facts" <"$scratch/capture.json" | awk -F'\t' '
        $1 == "meta" && $3 ~ /keptBytes$/ { bytes = $4 }
        $1 == "thread" && $4 > samples { samples = $4 }
        END { print bytes, samples }'
}

buffer_bytes_per_sample() {
    kept_and_samples 1 | awk '{ print $1 / $2 }'
}

# What the samples add to a process that records its ticks alone.
sample_bytes() {
    local ticks
    ticks=$(features=markers,labels kept_and_samples 3)
    features=stacks,cpu,markers,labels kept_and_samples 3 | awk -v ticks="${ticks% *}" '{ print ($1 - ticks) / $2 }'
}

perf_bytes_per_sample() {
    perf record -q -g -F 1000 -o "$scratch/perf.data" -- "$bench/program_deep" 1 >/dev/null 2>&1 &&
        perf report -D -i "$scratch/perf.data" 2>/dev/null |
        sed -n 's/^[^[]*\[0x\([0-9a-f]*\)\]: PERF_RECORD_SAMPLE.*/\1/p' |
            while read -r size; do echo $((16#$size)); done |
            awk '{ bytes += $1 } END { if (NR == 0) exit 1; print bytes / NR }'
}

sample_size() {
    figure "bytes of a 40-frame sample" "$(sample_bytes)" bytes 48
    local what="bytes of a 40-frame sample / perf record -g" round ours theirs
    if ! command -v perf >/dev/null || ! perf_bytes_per_sample >/dev/null; then
        not_measured "$what" "perf is not here or may not record"
        return
    fi
    for ((round = 0; round < rounds; round++)); do
        ours=$(buffer_bytes_per_sample)
        theirs=$(perf_bytes_per_sample)
        awk -v a="$ours" -v b="$theirs" 'BEGIN { print a / b }'
    done >"$scratch/sizes"
    figure "$what" "$(median <"$scratch/sizes")" x 0.25
}
