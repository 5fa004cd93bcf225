#!/bin/bash
# Code that programs generate: its names come from the lists that they leave.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# list_of OUTPUT: the perf map of the process whose id it said.
list_of() {
    echo "/tmp/perf-$(cat "$1").map"
}

test_a_perf_map_names_generated_code() {
    expect 0 "$profctl" run -o out.json -- "$programs/jit" map
    rm -f "$(list_of stdout)"
    read_facts out.json
    has_function jit generated_burner
    has_function jit main
    refute grep -q 'older_name\|userId' out.json
}

test_a_jitdump_names_generated_code() {
    expect 0 "$profctl" run -o out.json -- "$programs/jit" dump
    read_facts out.json
    has_function jit generated_burner
}

test_a_process_that_still_lives_is_asked_in_its_own_root() {
    start_profd
    expect 0 "$profctl" start
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/jit" map 60 >said
    wait_until test -s said
    # In a shell of its own: a claim that does not hold yet ends no more than that.
    sampled() (
        "$profctl" capture -o out.json && read_facts out.json && has_function jit generated_burner
    )
    wait_until sampled
    rm -f "$(list_of said)"
}

test_a_process_in_namespaces_of_its_own_is_asked_there() {
    need_root
    unshare -pf true || skip "may not make namespaces"
    start_profd
    expect 0 "$profctl" start
    in_background env LD_PRELOAD="$build/lib/libprofd.so" unshare -pf "$programs/jit" hidden 60 >said 2>ended
    wait_until test -s said
    sampled() (
        "$profctl" capture -o out.json --process jit && read_facts out.json &&
            has_function jit generated_burner
    )
    wait_until sampled
    refute test -e /tmp/perf-1.map
    kill -KILL "$(pgrep -P "$background")"
}

test_without_a_list_it_is_told_to_be_generated() {
    expect 0 "$profctl" run -o out.json -- "$programs/jit" none
    expect 0 "$profctl" report out.json
    says 'generated code' stdout
    expect 0 "$profctl" run --no-symbols -o raw.json -- "$programs/jit" none
    grep -q '"name":"\[generated code\]"' raw.json
}

test_a_list_of_somebody_else_or_another_time_is_not_believed() {
    need_root
    expect 0 "$profctl" run --no-symbols -o out.json -- "$programs/jit" map
    list=$(list_of stdout)
    chown 65534 "$list"
    expect 0 "$profctl" symbolicate -o stranger.json out.json
    chown 0 "$list"
    touch -d '1 hour ago' "$list"
    expect 0 "$profctl" symbolicate -o older.json out.json
    touch "$list"
    expect 0 "$profctl" symbolicate -o right.json out.json
    mv "$list" moved.map
    ln -s "$PWD/moved.map" "$list"
    expect 0 "$profctl" symbolicate -o link.json out.json
    rm -f "$list"
    mkfifo "$list"
    expect 0 "$profctl" symbolicate -o fifo.json out.json
    rm -f "$list"
    grep -q generated_burner right.json
    for file in stranger older link fifo; do
        refute grep -q generated_burner $file.json
    done
}

test_functions_of_javascript_have_names() {
    command -v node >/dev/null || skip "no node here"
    cat >work.js <<'JS'
function workInScript(n) { return n < 2 ? n : workInScript(n - 1) + workInScript(n - 2); }
const end = Date.now() + 400;
while (Date.now() < end) workInScript(18);
console.log(process.pid);
JS
    expect 0 "$profctl" run -o out.json -- node --perf-basic-prof work.js
    rm -f "$(list_of stdout)"
    read_facts out.json
    has_function node workInScript
    grep -qE '"(interpreter|baseline|maglev|turbofan)"' out.json
    expect 0 "$profctl" run -o out.json -- node --perf-prof work.js
    read_facts out.json
    has_function node workInScript
}

# All of them have the name of the process.
test_threads_of_node_are_told_apart() {
    command -v node >/dev/null || skip "no node here"
    cat >threads.js <<'JS'
const { Worker, isMainThread } = require('worker_threads');
if (isMainThread) {
    new Worker(__filename);
    for (let i = 0; i < 8; i++) require('crypto').pbkdf2('a', 'b', 50000, 64, 'sha512', () => {});
}
const end = Date.now() + 300;
while (Date.now() < end) JSON.parse('[' + '1,'.repeat(10000) + '1]');
JS
    expect 0 "$profctl" run -o out.json -- node threads.js
    read_facts out.json
    for name in 'V8 platform worker' 'Node worker' 'libuv pool'; do
        [ "$(samples_of node "$name")" -gt 0 ] || fail "no $name among: $(grep ^thread facts | cut -f3 | sort | uniq -c | xargs)"
    done
    [ "$(samples_of node GeckoMain)" -gt 10 ]
}

run_tests "$@"
