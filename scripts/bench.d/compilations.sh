# Sourced by scripts/bench: a build of 60 generated files, bare, profiled, and under perf record.
# shellcheck shell=bash disable=SC2034,SC2154

# A file that takes a compiler about a quarter of a second.
generate_source() {
    awk -v file="$1" 'BEGIN {
        print "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>"
        for (f = 0; f < 13; f++) {
            printf "double step_%d_%d(double *v, int n)\n{\n    double s = %d;\n", file, f, f
            for (i = 0; i < 4; i++)
                printf "    for (int i = %d; i < n; i++) {\n        s += v[i] * %d.5 + sqrt(v[i - %d]);\n        if (s > %d)\n            s = fmod(s, v[i]) - %d;\n    }\n", i + 1, f + i, i + 1, f * 7 + i, i
            print "    return s;\n}"
        }
    }'
}

generate_project() {
    local i
    mkdir -p "$scratch/project"
    for ((i = 0; i < 60; i++)); do
        generate_source "$i" >"$scratch/project/part$i.c"
    done
    printf 'parts := $(patsubst %%.c,%%.o,$(wildcard *.c))\nall: $(parts)\n%%.o: %%.c\n\t$(CC) -O2 -c $< -o $@\n' \
        >"$scratch/project/Makefile"
}

# compilation COMMAND…: CPU seconds of the build from nothing, with all that COMMAND does besides.
compilation() {
    rm -f "$scratch"/project/*.o
    seconds_of "$@" make -s -C "$scratch/project" -j2 | awk '{ print $2 }'
    [ -e "$scratch/project/part59.o" ]
}

# ratios A B: of each round.
ratios() {
    paste "$scratch/compilation-$1" "$scratch/compilation-$2" | awk '{ print $1 / $2 }'
}

compilations() {
    local what="make -j2 of 60 files, CPU" round clock limit with_perf=false
    generate_project
    rm -f "$scratch"/compilation-*
    ! can_perf || with_perf=true
    compilation >/dev/null || { not_measured "$what" "the build fails"; return; }
    for ((round = 0; round < rounds; round++)); do
        compilation >>"$scratch/compilation-bare"
        for clock in "${clocks[@]}"; do
            compilation profctl_run "$clock" --no-symbols -- >>"$scratch/compilation-$clock"
        done
        ! "$with_perf" || compilation perf_record >>"$scratch/compilation-under-perf"
    done
    for clock in "${clocks[@]}"; do
        limit=1.03
        [ "$clock" != perf ] || limit=1.05
        ratios "$clock" bare | ranged_figure "$what / bare, $(clock_name "$clock")" x "$limit"
        if "$with_perf"; then
            ratios "$clock" under-perf | ranged_figure "... / under perf record -F 1000 -g" x 1
        else
            not_measured "... / under perf record -F 1000 -g" "perf is not here or may not record"
        fi
    done
    ! "$with_perf" || row "... under perf record -F 1000 -g / bare" "$(ratios under-perf bare | median) x" - -
}
