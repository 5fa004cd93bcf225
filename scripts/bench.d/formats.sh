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

# many_compilers FILE: a profile of a build: 20,000 processes, two at a time, with 50 samples each of 400 stacks.
many_compilers() {
    awk 'function join(count, which,   i) { for (i = 0; i < count; i++) printf "%s%s", i ? "," : "", which == "names" ? "\"parse_and_expand_" i "(tree_node*)\"" : which == "frames" ? "[" i "]" : "[" (i % 20 == 0 ? "null" : i - 1) "," i "]" }
        BEGIN {
            split("cc1plus as ld sh", programs, " ")
            printf "{\"meta\":{\"version\":30,\"startTime\":1,\"interval\":1,\"sampleUnits\":{\"threadCPUDelta\":\"ns\"}},\"libs\":[],\"threads\":[],\"processes\":["
            for (p = 0; p < 20000; p++) {
                start = int(p / 2) * 60
                printf "%s{\"meta\":{\"version\":30,\"startTime\":1,\"interval\":1,\"shutdownTime\":%d},\"libs\":[],\"threads\":[{\"name\":\"GeckoMain\",\"processName\":\"%s\",\"pid\":%d,\"tid\":%d,\"registerTime\":%d,\"unregisterTime\":%d,\"stringTable\":[", p ? "," : "", start + 55, programs[p % 4 + 1], p + 1, p + 1, start, start + 55
                join(400, "names"); printf "],\"frameTable\":{\"schema\":{\"location\":0},\"data\":["
                join(400, "frames"); printf "]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},\"data\":["
                join(400, "stacks"); printf "]},\"samples\":{\"schema\":{\"stack\":0,\"time\":1,\"eventDelay\":2,\"threadCPUDelta\":3},\"data\":["
                for (i = 0; i < 50; i++) printf "%s[%d,%d,0,950000]", i ? "," : "", (i * 79 + p) % 400, start + i
                printf "]},\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\":4,\"data\":5},\"data\":[]}}],\"profilingLog\":{\"%d\":{\"profd\":{\"verdict\":\"exited\",\"code\":0,\"cpuTimeMs\":48,\"commandLine\":[\"%s\",\"-o\",\"file_%d.o\"]}}}}", p + 1, programs[p % 4 + 1], p
            }
            printf "]}"
        }' >"$1"
}

# Until a page can be used, as it tells itself, in a browser that draws it.
page_ready_ms() {
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/browser" --dump-dom "file://$1" 2>/dev/null |
        grep -oE 'data-ready="[0-9]+"' | grep -oE '[0-9]+'
}

compilers_on_a_page() {
    local what="the page of 20,000 processes and 1,000,000 samples, until it can be used" format
    many_compilers "$scratch/compilers.json"
    for format in html processed.json jslb trace.json; do
        figure "20,000 processes to .$format: at most in memory" \
            "$(peak_megabytes "$profctl" -q convert -o "$scratch/compilers.$format" "$scratch/compilers.json")" MB 256
    done
    # shellcheck disable=SC2016 # the shell that is started expands it
    figure "... to a report" \
        "$(peak_megabytes sh -c 'exec "$0" "$@" >/dev/null' "$profctl" -q report "$scratch/compilers.json")" MB 256
    if command -v chromium >/dev/null; then
        figure "$what" "$(for _ in 1 2 3; do page_ready_ms "$scratch/compilers.html"; done | median)" ms 3000
    else
        not_measured "$what" "needs chromium"
    fi
    rm -rf "$scratch"/compilers.* "$scratch/browser"
}
