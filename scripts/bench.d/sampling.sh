# Sourced by scripts/bench: samples.
# shellcheck shell=bash disable=SC2154

gap() {
    local round empty sampled
    for ((round = 0; round < rounds; round++)); do
        empty=$("$bench/program_gap" empty 0.5 | value gap_ns)
        sampled=$(run_profiled "$bench/program_gap" sampled 0.5 | value gap_ns)
        echo "$empty $sampled"
    done >"$scratch/gaps"
    figure "a sample's gap / an empty handler's" "$(awk '{ print $2 / $1 }' "$scratch/gaps" | median)" x 1.3
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

sampler() {
    table < <(run_profiled "$bench/program_sampler_cpu")
    table < <(run_profiled "$bench/program_idle")
}

# What the buffers hold of a process that does nothing, for each tick of the session.
idle_size() {
    run_profiled sleep 10 # what the start takes counts as well
    figure "bytes of an idle tick" "$("$build/tests/programs/capture_facts" <"$scratch/capture.json" | awk -F'\t' '
        $1 == "meta" && $3 ~ /keptBytes$/ { bytes = $4 }
        $1 == "thread" && $4 > ticks { ticks = $4 }
        END { print bytes / ticks }')" bytes 4
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
