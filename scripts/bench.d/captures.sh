# Sourced by scripts/bench: from chunks to the file.
# shellcheck shell=bash disable=SC2154

json_generation() {
    table < <("$bench/bench_json")
}

controller() {
    table < <("$bench/bench_memory_controller")
}

# A profile of more than 500 MB through profd, and the most memory that it had meanwhile.
large_profile() {
    local daemon peak bytes
    export PROFD_SOCKET=$scratch/profd.sock
    "$build/bin/profd" --memory-limit 1G -- "$bench/program_many_markers" 0.75 8 "$scratch/ready" \
        >"$scratch/profd.log" 2>&1 &
    daemon=$!
    background+=("$daemon")
    until "$profctl" start --memory-limit 1G >/dev/null 2>&1; do sleep 0.05; done
    until [ -s "$scratch/ready" ]; do sleep 0.05; done
    "$profctl" capture --no-symbols --timeout 120s -o "$scratch/large.json" >/dev/null 2>&1
    peak=$(awk '$1 == "VmHWM:" { print $2 / 1024 }' "/proc/$daemon/status")
    bytes=$(stat -c %s "$scratch/large.json")
    kill "$daemon"
    figure "profd's memory while $((bytes / 1000000)) MB pass" "$peak" MB 64
    unset PROFD_SOCKET
}

# start_recorded PROCESSES: a session with so many, of 4 MB of chunks each.
start_recorded() {
    rm -f "$scratch/ready"
    start_daemon --memory-limit 1G -- "$bench/program_many_markers" 0.093 "$1" "$scratch/ready"
    "$profctl" start --interval 100ms --memory-limit 1G >/dev/null 2>&1
    until [ -s "$scratch/ready" ]; do sleep 0.05; done
}

capture_of_many() {
    local round many copy
    start_recorded 1
    for ((round = 0; round < rounds; round++)); do
        "$bench/bench_capture" "$PROFD_SOCKET" "$scratch/one.json"
    done >"$scratch/ones"
    stop_daemon
    start_recorded 64
    for ((round = 0; round < 5; round++)); do
        many=$("$bench/bench_capture" "$PROFD_SOCKET" "$scratch/many.json")
        copy=$(TIMEFORMAT=%R; { time cp "$scratch/many.json" "$scratch/copy.json"; } 2>&1)
        rm -f "$scratch/copy.json"
        awk -v one="$(median <"$scratch/ones")" -v many="$many" -v copy="$copy" -v cores="$(nproc)" \
            'BEGIN { print many / (one * 64 / cores + copy) }'
    done >"$scratch/ratios"
    stop_daemon
    rm -f "$scratch"/{one,many}.json
    figure "capture of 64 × 4 MB / (64 of one / cores + cp)" "$(median <"$scratch/ratios")" x 1.2
}

# As profctl makes it, against a copy of what comes out.
raw_capture_of_many() {
    local round raw copy bytes
    start_recorded 64
    for ((round = 0; round < 5; round++)); do
        rm -f "$scratch"/{many,copy}.profd
        raw=$(TIMEFORMAT=%R; { time "$profctl" --quiet capture -o "$scratch/many.profd" >"$scratch/capture.log" 2>&1; } 2>&1)
        copy=$(TIMEFORMAT=%R; { time cp "$scratch/many.profd" "$scratch/copy.profd"; } 2>&1)
        awk -v raw="$raw" -v copy="$copy" 'BEGIN { print raw / copy }'
    done >"$scratch/ratios"
    stop_daemon
    bytes=$(stat -c %s "$scratch/many.profd")
    rm -f "$scratch"/{many,copy}.profd
    if [ "$bytes" -gt $((64 * 3000000)) ]; then
        figure "raw capture of 64 × 4 MB / cp" "$(median <"$scratch/ratios")" x 1.2
    else
        not_measured "raw capture of 64 × 4 MB / cp" "it has only $bytes bytes"
    fi
}

# The poll rule waits for two polls without progress, of 500 ms each, after one that may have had some.
frozen_child() {
    local round normal frozen victim
    start_recorded 8
    victim=$(pgrep -P "$(cat "$scratch/ready")" | head -n1)
    for ((round = 0; round < 5; round++)); do
        normal=$("$bench/bench_capture" "$PROFD_SOCKET" "$scratch/many.json")
        kill -STOP "$victim"
        frozen=$("$bench/bench_capture" "$PROFD_SOCKET" "$scratch/many.json")
        kill -CONT "$victim"
        awk -v normal="$normal" -v frozen="$frozen" 'BEGIN { print frozen - normal }'
    done >"$scratch/added"
    stop_daemon
    figure "what a frozen child adds to a capture" "$(median <"$scratch/added")" s 1.5
}
