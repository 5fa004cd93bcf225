# Sourced by scripts/bench: a build.
# shellcheck shell=bash disable=SC2154

# build_part SECONDS-FILE COMMAND…: builds a part of this project from nothing.
build_part() {
    rm -rf "$scratch/part"
    TIMEFORMAT=%R
    { time "$@" make -s -C "$source" -j2 B="$scratch/part" "$scratch/part/obj/common.a" >/dev/null 2>&1; } 2>&1
}

# Sampling at 1 ms costs some machines much before anything is recorded, so a sampler that records nothing is measured too.
profiled_build() {
    local round bare profiled waking
    for ((round = 0; round < 5; round++)); do
        if ! bare=$(build_part) ||
            ! waking=$(LD_PRELOAD=$bench/preload_waking.so build_part) ||
            ! profiled=$(build_part "$profctl" --quiet run --no-symbols -o "$scratch/build.json" --); then
            not_measured "profctl run -- make -j2, slower than bare" "the build fails"
            return
        fi
        awk -v bare="$bare" -v profiled="$profiled" 'BEGIN { print (profiled / bare - 1) * 100 }' >>"$scratch/builds"
        awk -v waking="$waking" -v profiled="$profiled" 'BEGIN { print (profiled / waking - 1) * 100 }' >>"$scratch/over_waking"
    done
    figure "profctl run -- make -j2, slower than bare" "$(median <"$scratch/builds")" % 5
    figure "the same, than only waking and signalling at 1 ms" "$(median <"$scratch/over_waking")" % 5
}
