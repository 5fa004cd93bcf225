# Sourced by scripts/bench: reading profiles, and writing them in other formats.
# shellcheck shell=bash disable=SC2154

# million_samples FILE: a profile of 50 processes with 20,000 samples each, of 1,000 stacks up to 20 deep.
million_samples() {
    awk 'function stack(i) { return (i % 20 == 0 ? "null" : i - 1) "," i % 400 }
        BEGIN {
            printf "{\"meta\":{\"version\":30,\"startTime\":1,\"interval\":1,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"libs\":[],\"threads\":[],\"processes\":["
            for (p = 0; p < 50; p++) {
                printf "%s{\"meta\":{\"version\":30,\"startTime\":1,\"interval\":1},\"libs\":[],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"worker\",\"pid\":%d,\"tid\":%d,\"registerTime\":0,\"unregisterTime\":null,\"stringTable\":[", p ? "," : "", p + 1, p + 1
                for (i = 0; i < 400; i++) printf "%s\"function_number_%d(int, char const*) (in library_%d.so)\"", i ? "," : "", i, i % 7
                printf "],\"frameTable\":{\"schema\":{\"location\":0},\"data\":["
                for (i = 0; i < 400; i++) printf "%s[%d]", i ? "," : "", i
                printf "]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":["
                for (i = 0; i < 1000; i++) printf "%s[%s]", i ? "," : "", stack(i)
                printf "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},\"data\":["
                for (i = 0; i < 20000; i++) printf "%s[%d,%d.%06d,0,%d]", i ? "," : "", (i * 7919 + p) % 1000, i, (i * 7) % 1000000, 950000 + i % 1000
                printf "]},\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},\"data\":[]}}]}"
            }
            printf "]}"
        }' >"$1"
}

# Reading, and each format against compressing what it reads and what it writes; all of them compressed.
formats() {
    local format bytes cpu
    million_samples "$scratch/million.json"
    bytes=$(stat -c %s "$scratch/million.json")
    cpu=$(for _ in 1 2 3 4 5; do seconds_of "$profctl" report --tree "$scratch/million.json"; done | awk '{ print $2 }' | median)
    figure "report --tree of 1,000,000 samples: reads" \
        "$(awk -v bytes="$bytes" -v cpu="$cpu" 'BEGIN { print bytes / 1e6 / cpu }')" "MB/s at least" 200
    for format in collapsed speedscope.json pb callgrind trace.json processed.json jslb; do
        against_gzip "$format" "$format.gz"
    done
    against_gzip html html
}

# against_gzip FORMAT ENDING
against_gzip() {
    local out=$scratch/out.$2 cpu compressed
    cpu=$(for _ in 1 2 3; do seconds_of "$profctl" -q convert -o "$out" "$scratch/million.json"; done | awk '{ print $2 }' | median)
    gzip -dcf "$out" >"$scratch/plain"
    compressed=$(for file in "$scratch/million.json" "$scratch/plain"; do seconds_of gzip -6 -c "$file"; done | awk '{ sum += $2 } END { print sum }')
    figure "1,000,000 samples to .$1 / gzip -6 of both" \
        "$(awk -v cpu="$cpu" -v gzip="$compressed" 'BEGIN { print cpu / gzip }')" x 4
    figure "... at most in memory" "$(peak_megabytes "$profctl" -q convert -o "$out" "$scratch/million.json")" MB 256
    rm -f "$out" "$scratch/plain" "$scratch/stdout"
}

# peak_megabytes COMMAND…: the most memory that it had.
peak_megabytes() {
    "$bench/program_peak" "$@"
}
