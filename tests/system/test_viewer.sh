#!/bin/bash
# Captures open in the Firefox Profiler: its own loader reads them (Mozilla's profiler-cli).
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

version=0.10.0
cli=$build/node/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js

need_viewer() {
    command -v node >/dev/null && command -v npm >/dev/null || skip "needs node and npm"
    [ -f "$cli" ] && return
    mkdir -p "$build/node"
    (cd "$build/node" && timeout 120 npm install --no-save --ignore-scripts --no-audit --no-fund \
        "@firefox-devtools/profiler-cli@$version") >npm.log 2>&1 || skip "npm cannot install profiler-cli"
}

# load CAPTURE: into a session of the loader's own daemon, which ends with the test. The loader gives its daemon half a
# second to start; on a busy machine that takes longer, and goes on.
load() {
    export PROFILER_CLI_SESSION_DIR=$scratch/viewer-${1##*/} PROFILER_CLI_NO_SYMBOLICATE=1
    mkdir -p "$PROFILER_CLI_SESSION_DIR"
    trap 'stop_viewer' EXIT
    if ! timeout 120 node "$cli" load "$1" >stdout 2>stderr </dev/null; then
        grep -q 'did not become ready' stderr || fail "the viewer refuses $1"
        wait_until node "$cli" profile info
    fi
    refute grep -iE 'error|failed' stdout
}

# At the end of a test, whose status stays what it is.
stop_viewer() {
    local status=$?
    trap - ERR
    set +e
    node "$cli" stop --all >/dev/null 2>&1
    (exit $status)
    clean_up
}

test_capture_of_a_tree_loads() {
    need_viewer
    expect 0 "$profctl" run -o out.json.gz -- sh -c "'$programs/busy' 0.3; '$programs/labels'; exit 0"
    load out.json.gz
    expect 0 node "$cli" profile info --all
    says busy stdout
    says labelled stdout
    says 'sh\b' stdout
    expect 0 node "$cli" profile markers --search interval
    says interval stdout
}

# Of what is a capture with names already: the files are in a column that this viewer leaves alone there.
test_functions_have_libraries_and_files_there() {
    need_viewer
    expect 0 "$profctl" run -o out.json.gz -- "$programs/busy" 0.5
    load out.json.gz
    node "$cli" thread functions --search burn_inner >functions
    says 'busy!burn_inner' functions
    expect 0 "$profctl" convert out.json.gz -o out.processed.json
    grep -qE '"[^"]*burn\.h"' out.processed.json
    node "$cli" stop --all >/dev/null 2>&1
    load out.processed.json
    node "$cli" thread functions --search burn_inner >functions
    says 'busy!burn_inner' functions
}

test_functions_have_names_there() {
    need_viewer
    expect 0 "$profctl" run -o out.json.gz -- "$programs/busy" 0.5
    load out.json.gz
    node "$cli" profile info --all >info
    for handle in $(grep -oE 't-[0-9]+' info | sort -u); do
        node "$cli" thread functions --thread "$handle" --search burn_inner || true
    done >functions 2>&1
    says burn_inner functions
}

# process_start NAME: of each process called so, on the wall clock, as the viewer has it.
process_start() {
    local root
    root=$(gzip -cdf out.json.gz | head -c 1000 | grep -o '"startTime":[0-9.]*' | head -1 | cut -d: -f2)
    node "$cli" profile info --all --json >info.json
    node -e '
        const [name, root] = process.argv.slice(1);
        const info = JSON.parse(require("fs").readFileSync("info.json"));
        for (const found of info.processes)
            if (found.name == name) console.log(Number(root) + found.startTime);' "$1" "$root"
}

# On the wall clock; one process id is of two files.
test_merged_captures_load() {
    need_viewer
    expect 0 "$profctl" run -o one.json.gz -- "$programs/busy" 0.3
    began=$(date +%s%3N)
    expect 0 "$profctl" run -o two.json.gz -- "$programs/busy" 0.3
    ended=$(date +%s%3N)
    cp two.json.gz three.json.gz
    expect 0 "$profctl" merge one.json.gz two.json.gz three.json.gz -o out.json.gz --offset three:-1s
    load out.json.gz
    for shift in "one 0 $began" "two $began $ended" "three $((began - 1000)) $((ended - 1000))"; do
        read -r host low high <<<"$shift"
        process_start "$host: busy" >start
        [ "$(wc -l <start)" -eq 1 ]
        awk -v low="$low" -v high="$high" '{ exit !($1 >= low - 1 && $1 <= high + 1) }' start ||
            fail "$host began at $(cat start), not between $low and $high"
    done
}

# told_of CAPTURE: what the viewer says of it, but for functions, and those of each thread.
told_of() {
    local handle
    load "$1"
    {
        node "$cli" profile info --all
        node "$cli" thread list --limit 0 --sort index
        node "$cli" counter list
    } >told
    node "$cli" thread list --limit 0 --sort index --json | grep -oE '"threadHandle": *"t-[0-9]+"' |
        grep -oE 't-[0-9]+' | sort -u >handles
    while read -r handle; do
        node "$cli" thread info --thread "$handle" --json | grep -E '"(sampleCount|createdAt|endedAt)"'
        node "$cli" thread markers --thread "$handle" --list --limit 0
    done <handles >>told 2>&1
    while read -r handle; do
        echo "thread $handle"
        node "$cli" thread functions --thread "$handle" --include-idle --limit 0 --json |
            grep -oE '"nameWithLibrary": *".*"' | sort
    done <handles >functions 2>&1
    node "$cli" stop --all >/dev/null
    # But for the thread at hand, and for the words beside counters.
    sed -E '/^\[Thread/d; s/ - [A-Za-z ,]+: / - /' told >"$1.told"
    mv functions "$1.functions"
}

test_processed_profile_says_the_same() {
    need_viewer
    expect 0 "$profctl" run -f stacks,cpu,markers,labels,counters,memory,nativeallocs -o out.json.gz -- \
        sh -c "'$programs/busy' 0.5; '$programs/labels'; '$programs/markers'; '$programs/allocator' 20"
    expect 0 "$profctl" convert out.json.gz -o out.processed.json.gz
    told_of out.json.gz
    told_of out.processed.json.gz
    diff out.json.gz.told out.processed.json.gz.told
    for word in busy allocator 'with text' '"sampleCount": [1-9]' 'Memory'; do
        says "$word" out.processed.json.gz.told
    done
    # Functions are those that used CPU; addresses without names are the same in all processes there.
    says 'busy!burn_inner' out.processed.json.gz.functions
    grep -v '!0x' out.processed.json.gz.functions | sort -u >weighed
    comm -23 weighed <(sort -u out.json.gz.functions) >others
    [ ! -s others ] || fail "only the processed profile has: $(cat others)"
    expect 0 "$profctl" convert out.json.gz -o out.jslb.gz
    told_of out.jslb.gz
    diff out.processed.json.gz.told out.jslb.gz.told
    diff out.processed.json.gz.functions out.jslb.gz.functions
}

# Where a Gecko profile counts samples, the totals there are CPU time: as the report's.
test_processed_profile_weighs_cpu_time() {
    need_viewer
    expect 0 "$profctl" run --clock cpu -o out.json.gz -- "$programs/busy" 0.5
    expect 0 "$profctl" convert out.json.gz -o out.processed.json.gz
    load out.processed.json.gz
    node "$cli" thread functions --limit 0 --json >functions
    total=$(grep -A9 '"nameWithLibrary": *"busy!main"' functions | grep -oE '"totalSamples": *[0-9.]+' | grep -oE '[0-9.]+$')
    "$profctl" report --json out.json.gz >report.json
    sampled=$(grep -o '"cpuMs":[0-9.]*,"notSampledMs":[0-9.]*' report.json | head -1 |
        tr -c '0-9.\n' ' ' | awk '{ print $1 - $2 }')
    awk -v total="$total" -v sampled="$sampled" 'BEGIN { exit !(total > sampled * 0.9 && total < sampled + 1) }' ||
        fail "$total ms of $sampled"
}

# Of a capture that kept its addresses: the same names, and what a Gecko profile has no room for.
test_processes_that_exited_share_tracks() {
    need_viewer
    expect 0 "$profctl" run -o out.json.gz -- sh -c 'for i in 1 2 3 4; do /bin/true $i; done; exit 0'
    expect 0 "$profctl" convert --merge-exited out.json.gz -o out.processed.json.gz
    load out.processed.json.gz
    expect 0 node "$cli" profile info --all
    says 'true \(4 processes\)' stdout
    expect 0 node "$cli" profile markers --search true
    [ "$(grep -cE ' true .* /bin/true [1-4]$' stdout)" -eq 4 ]
    expect 0 node "$cli" marker info "$(grep -oE 'm-[0-9]+ +true' stdout | head -1 | cut -d' ' -f1)"
    says ExitedProcess stdout
}

test_processed_profile_names_addresses() {
    need_viewer
    cat >inlined.c <<'END'
#include <time.h>
static inline __attribute__((always_inline)) void spin_inside(volatile long *count)
{
    for (clock_t end = clock() + CLOCKS_PER_SEC / 2; clock() < end;)
        for (int i = 0; i < 10000; i++)
            (*count)++;
}
int main(void)
{
    volatile long count = 0;
    spin_inside(&count);
    return count == 0;
}
END
    "${CC:-cc}" -O2 -g inlined.c -o inlined
    expect 0 "$profctl" run --no-symbols -o out.json -- ./inlined
    expect 0 "$profctl" convert out.json -o out.processed.json
    expect 0 "$profctl" symbolicate out.json
    told_of out.json
    told_of out.processed.json
    diff out.json.told out.processed.json.told
    says 'inlined!spin_inside' out.processed.json.functions
    diff <(grep -v '!0x' out.json.functions) <(grep -v '!0x' out.processed.json.functions)
    says 'inlined\.c"' out.processed.json
    says '"sources":{"length":[1-9]' out.processed.json
    says '"nativeSymbols":{"length":[1-9]' out.processed.json
    # Native, with category, symbol and line, and inlined: 1 + 2 + 4 + 8 + 16.
    grep -oE '"frameTable":\{"length":[0-9]+,"flags":\[[0-9,]*\]' out.processed.json | grep -qE '[[,]31[],]'
}

run_tests "$@"
