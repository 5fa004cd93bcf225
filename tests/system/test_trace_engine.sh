#!/bin/bash
# The calls of profctl are those of DevTools: its own trace engine reads the same profiles.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

version=0.0.65
engine=$build/node-trace-engine/node_modules/@paulirish/trace_engine
script=$source_dir/tests/system/trace_engine.mjs

need_engine() {
    command -v node >/dev/null && command -v npm >/dev/null || skip "needs node and npm"
    [ -f "$engine/package.json" ] && return
    mkdir -p "$build/node-trace-engine"
    (cd "$build/node-trace-engine" && timeout 120 npm install --no-save --ignore-scripts --no-audit --no-fund \
        "@paulirish/trace_engine@$version") >npm.log 2>&1 || skip "npm cannot install the trace engine"
}

# compare_all PROFILE…: with the calls that profctl makes of them.
compare_all() {
    local pairs=()
    for profile in "$@"; do
        "$profctl" convert -q "$profile" -o "$profile.trace.json"
        pairs+=("$profile" "$profile.trace.json")
    done
    expect 0 node "$script" compare "$engine" 0.01 "${pairs[@]}"
    refute grep -v ', 0 differ, 0 are too many$' stdout
}

test_random_profiles_have_the_same_calls() {
    need_engine
    node "$script" random $((RANDOM * 1000)) 200 .
    compare_all ./*.cpuprofile
    [ "$(awk '{ sum += $2 } END { print sum }' stdout)" -gt 1000 ]
}

# Some are not right, or the comparison is none.
test_a_call_that_differs_is_found() {
    need_engine
    node "$script" random 1 20 .
    profile=$(find . -name '*.cpuprofile' -printf '%s %f\n' | sort -n | tail -1 | cut -d' ' -f2)
    "$profctl" convert -q "$profile" -o good.trace.json
    expect 0 node "$script" compare "$engine" 0.01 "$profile" good.trace.json
    for change in 's/"dur":[1-9][0-9]*/"dur":9999999/' 's/"selfTime":[1-9][0-9]*/"selfTime":9999999/' \
        's/"ts":[1-9][0-9]*/"ts":9999999/' 's/"nodeId":[1-9][0-9]*/"nodeId":9999999/' 's/"ph":"X"/"ph":"Y"/'; do
        sed "$change" good.trace.json >wrong.trace.json
        expect 1 node "$script" compare "$engine" 0.01 "$profile" wrong.trace.json
    done
}

test_profiles_of_node_have_the_same_calls() {
    need_engine
    cat >work.js <<'JS'
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
function parse(rounds) { return JSON.parse(JSON.stringify(Array.from({ length: rounds }, (_, i) => ({ i, text: 'x'.repeat(i % 50) })))); }
let turn = 0;
(function step() { parse(3000); eval('(() => fib(20 + turn % 5))()'); if (++turn < 100) setTimeout(step, turn % 5); })();
JS
    node --cpu-prof --cpu-prof-interval 200 --cpu-prof-name node.cpuprofile work.js
    compare_all node.cpuprofile
}

# The traces that come with the engine.
test_profiles_of_traces_have_the_same_calls() {
    need_engine
    for trace in "$engine"/test/*.json.gz; do
        node "$script" extract "$trace" .
    done
    compare_all ./*.cpuprofile
}

# What is written rounds to microseconds.
test_captures_have_the_same_calls() {
    need_engine
    for clock in $clocks; do
        expect 0 "$profctl" run -o capture.json.gz --clock "$clock" -- \
            sh -c '"$1" 0.3 & "$2" & "$1" 0.5; wait; sleep 0.3; "$1" 0.2' - "$programs/busy" "$programs/named_threads"
        expect 0 "$profctl" convert capture.json.gz -o "$clock.cpuprofile"
        for profile in "$clock"-*.cpuprofile; do
            numbers=${profile#*-} numbers=${numbers%.cpuprofile}
            expect 0 "$profctl" convert -q capture.json.gz --thread "$numbers" -o "$profile.trace.json"
            expect 0 node "$script" compare "$engine" 1.01 "$profile" "$profile.trace.json"
        done
    done
}

run_tests "$@"
