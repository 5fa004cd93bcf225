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

# load CAPTURE: into a session of the loader's own daemon, which ends with the test.
load() {
    export PROFILER_CLI_SESSION_DIR=$scratch/viewer PROFILER_CLI_NO_SYMBOLICATE=1
    mkdir -p "$PROFILER_CLI_SESSION_DIR"
    trap 'node "$cli" stop --all >/dev/null 2>&1; clean_up' EXIT
    wait_until load_once "$1"
    refute grep -iE 'error|failed' stdout
}

# The loader gives its own daemon half a second to start, which a busy machine may not.
load_once() {
    timeout 120 node "$cli" load "$1" >stdout 2>stderr </dev/null && return
    node "$cli" stop --all >/dev/null 2>&1 || true
    grep -q 'did not become ready' stderr || fail "the viewer refuses $1"
    return 1
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

run_tests "$@"
