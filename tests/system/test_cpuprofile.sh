#!/bin/bash
# .cpuprofile files are read like captures: those of Node.js, and those that profctl writes.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

make_node_profile() {
    command -v node >/dev/null || skip "there is no node"
    cat >work.js <<'JS'
function burn(rounds) { let sum = 0; for (let i = 0; i < rounds; i++) sum += Math.sqrt(i) % 7; return sum; }
function pause(ms) { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms); }
for (let i = 0; i < 20; i++) { burn(2e6); eval('(function inner() { burn(1e6); })()'); }
setTimeout(() => burn(2e6), 50);
JS
    node --cpu-prof --cpu-prof-name node.json work.js
}

test_every_reader_takes_those_of_node() {
    make_node_profile
    expect 0 "$profctl" report node.json
    says 'burn \(file://.*/work.js:1:14\)' stdout
    expect 0 "$profctl" report --calls --json node.json
    says '"function":"inner \(VM[0-9]+:1:[0-9]+\)"' stdout
    for ending in collapsed speedscope.json pb callgrind trace.json cpuprofile; do
        expect 0 "$profctl" convert node.json -o out.$ending
        [ -s out.$ending ]
    done
    gzip node.json
    expect 0 "$profctl" report node.json.gz
}

# What is written is what was read; a second time nothing changes any more.
test_a_cpuprofile_comes_back_as_it_was() {
    make_node_profile
    expect 0 "$profctl" convert node.json -o once.cpuprofile
    expect 0 "$profctl" convert once.cpuprofile -o twice.cpuprofile
    cmp once.cpuprofile twice.cpuprofile
    cat >compare.js <<'JS'
const [read, written] = process.argv.slice(2).map(f => JSON.parse(require('fs').readFileSync(f)));
const times = p => { let t = 0; return p.timeDeltas.map((d, i) => [t += d, i, p.samples[i]]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(s => [s[0], s[2]]); };
const nodes = p => p.nodes.map(n => JSON.stringify([n.id, n.callFrame.functionName || '(anonymous)', n.callFrame.lineNumber,
    n.callFrame.columnNumber, [...(n.children || [])].sort()])).sort();
require('assert').deepStrictEqual(times(written), times(read));
require('assert').deepStrictEqual(nodes(written), nodes(read));
const hits = id => written.samples.filter(sample => sample === id).length;
for (const node of written.nodes) require('assert').strictEqual(node.hitCount, hits(node.id));
JS
    node compare.js node.json once.cpuprofile
}

# A capture and what is made of it have the same calls, to the microsecond that is written.
test_a_capture_keeps_its_calls() {
    expect 0 "$profctl" run -o capture.json.gz --clock cpu -- "$programs/busy" 0.5
    expect 0 "$profctl" convert capture.json.gz -o out.cpuprofile
    expect 0 "$profctl" report --calls --top 5 out.cpuprofile
    says 'main \([^ ]*busy\.c:[0-9]+\)' stdout
    for file in capture.json.gz out.cpuprofile; do
        expect 0 "$profctl" convert $file -o out.trace.json
        grep -oE '"nodeId":[0-9]+,"sampleIndex":[0-9]+' out.trace.json >$file.calls
        [ -s $file.calls ]
    done
    cmp capture.json.gz.calls out.cpuprofile.calls
}

test_what_is_wrong_is_said() {
    echo '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]}],"samples":[],"timeDeltas":[]}' >child
    echo '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"samples":[3],"timeDeltas":[1]}' >sample
    for command in "report" "report --calls" "convert -o x.collapsed"; do
        # shellcheck disable=SC2086
        expect 1 "$profctl" $command child
        says 'node 1 has a child 2, which does not exist' stderr
        one_line stderr
        # shellcheck disable=SC2086
        expect 1 "$profctl" $command sample
        says 'sample 1 is of node 3, which does not exist' stderr
    done
    [ ! -e x.collapsed ]
}

# Numbers may have any length; a name of a file may not.
test_numbers_that_no_name_has_room_for_are_refused() {
    samples='"stringTable":["f"],"frameTable":{"schema":{"location":0},"data":[[0]]},"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0]]},"samples":{"schema":{"stack":0,"time":1},"data":[[0,1]]}'
    thread='{"name":"t","pid":1e200,"tid":1e200,'$samples'}'
    printf '{"meta":{"version":30,"startTime":0,"interval":1},"libs":[],"threads":[%s,%s]}' "$thread" "$thread" >huge.json
    expect 1 "$profctl" convert -o out.cpuprofile huge.json
    one_line stderr
}

test_what_is_read_twice_is_no_pipe() {
    expect 2 "$profctl" convert -o out.cpuprofile <(echo '{}')
    grep -q 'write it to a regular file first' stderr
}

run_tests "$@"
