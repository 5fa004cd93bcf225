# Sourced by scripts/bench: programs that a shell starts one after the other and that live for a millisecond.
# shellcheck shell=bash disable=SC2034,SC2154

# repeat_many COUNT WHAT COMMAND…: COMMAND with a shell that runs the line WHAT so often.
repeat_many() {
    local count=$1 what=$2
    shift 2
    "$@" sh -c "while [ \$((i += 1)) -le $count ]; do $what; done"
}

# start_many COUNT COMMAND…: with one that starts so many programs that live for a millisecond.
start_many() {
    repeat_many "$1" /bin/true "${@:2}"
}

# pack_many COUNT COMMAND…: with one that starts so many programs that are sampled a few times each.
pack_many() {
    repeat_many "$1" "gzip -c '$scratch/to-pack' >/dev/null" "${@:2}"
}

# above_bare COUNT FIELD FILE: ms of each in the median of FILE, whose lines have seconds_of bare, and of another; FIELD
# is 1 for the time, 2 for the CPU time.
above_bare() {
    awk -v count="$1" -v field="$2" '{ print ($(field + 2) - $field) * 1000 / count }' "$3" | median
}

# All that profctl and profd do is in it, also naming what they found. That is done once for all commands, and takes the
# longer the more debug information there is of the C library.
short_lives() {
    local count=500 round bare clock
    rm -f "$scratch"/short-*
    for ((round = 0; round < rounds; round++)); do
        bare=$(seconds_of start_many "$count")
        for clock in "${clocks[@]}"; do
            echo "$bare $(seconds_of start_many "$count" profctl_run "$clock" --)" >>"$scratch/short-$clock"
        done
        echo "$bare $(seconds_of start_many "$count" profctl_run "${clocks[0]}" --no-symbols --)" >>"$scratch/short-unnamed"
    done
    for clock in "${clocks[@]}"; do
        figure "fork and exec of true, above bare, $(clock_name "$clock")" \
            "$(above_bare "$count" 1 "$scratch/short-$clock")" ms 0.6
        figure "... its CPU time" "$(above_bare "$count" 2 "$scratch/short-$clock")" ms 0.8
    done
    row "... without naming what was found, $(clock_name "${clocks[0]}")" \
        "$(above_bare "$count" 1 "$scratch/short-unnamed") ms" - -
}

# What is above bare is for the most part the cost of a process's first sample: it gets an arena, and profd takes over
# what is in that when the process ends.
sampled_lives() {
    local count=200 what="a program with a few samples, CPU above bare" round bare clock with_perf=false
    ! can_perf || with_perf=true
    head -c 300000 "$profctl" >"$scratch/to-pack"
    rm -f "$scratch"/sampled-*
    for ((round = 0; round < rounds; round++)); do
        bare=$(seconds_of pack_many "$count")
        for clock in "${clocks[@]}"; do
            echo "$bare $(seconds_of pack_many "$count" profctl_run "$clock" --no-symbols --)" >>"$scratch/sampled-$clock"
        done
        ! "$with_perf" || echo "$bare $(seconds_of pack_many "$count" perf_record)" >>"$scratch/sampled-under-perf"
    done
    for clock in "${clocks[@]}"; do
        row "$what, $(clock_name "$clock")" "$(above_bare "$count" 2 "$scratch/sampled-$clock") ms" - -
    done
    ! "$with_perf" || row "... under perf record" "$(above_bare "$count" 2 "$scratch/sampled-under-perf") ms" - -
}

# Of how many processes called true a capture has the records, with nothing of them dropped.
kept_processes() {
    grep -oE '"verdict":"exited"|"executable":"[^"]*"|"droppedBlocks":[0-9]+' "$1" | awk '
        /^"verdict"/ { exited = 1 }
        /^"executable"/ { is_true = exited && /\/true"$/; exited = 0 }
        /^"droppedBlocks":0$/ { kept += is_true }
        END { print kept + 0 }'
}

# The same of one program: its processes wait for something to record.
many_short_lives_of_a_program() {
    local count=20000 clock="${clocks[0]}" kept
    "$profctl" run ${clock:+--clock "$clock"} --no-symbols -o "$scratch/many.json" -- sh -c "
        grep VmRSS /proc/\$PPID/status >'$scratch/before'
        while [ \$((i += 1)) -le $count ]; do /bin/true; done
        grep VmRSS /proc/\$PPID/status >'$scratch/after'
        date +%s.%N >'$scratch/ended'" 2>/dev/null
    date +%s.%N >"$scratch/captured"
    kept=$(kept_processes "$scratch/many.json")
    figure "of $count short processes under profctl run, those kept" "$kept" "processes at least" "$count"
    figure "... profd's memory for each" \
        "$(cat "$scratch/before" "$scratch/after" | awk -v kept="$kept" 'NR == 1 { used = $2 } END { print ($2 - used) / kept }')" KB 1
    figure "... the capture after the last" "$(cat "$scratch/ended" "$scratch/captured" | awk 'NR == 1 { end = $1 } END { print $1 - end }')" s 5
    rm -f "$scratch/many.json"
}

many_short_lives() {
    local count=20000 clock="${clocks[0]}" used kept
    start_daemon -- sh -c "until [ -e '$scratch/go' ]; do sleep 0.05; done
        while [ \$((i += 1)) -le $count ]; do /bin/true; done
        touch '$scratch/all-ran'; sleep infinity"
    "$profctl" start ${clock:+--clock "$clock"} >/dev/null 2>&1
    touch "$scratch/go"
    until [ -e "$scratch/all-ran" ]; do sleep 0.2; done
    used=$("$profctl" --json status | grep -oE '"accounted_bytes":[0-9]+' | cut -d: -f2)
    seconds_of "$profctl" capture --no-symbols --timeout 120s -o "$scratch/many.json" >"$scratch/capture_seconds"
    kept=$(kept_processes "$scratch/many.json")
    stop_daemon
    figure "of $count short processes, those whose records are kept" "$kept" "processes at least" "$count"
    figure "... memory for each" "$(awk -v used="$used" -v kept="$kept" 'BEGIN { print used / 1024 / kept }')" KB 1
    figure "... the capture after the last" "$(awk '{ print $1 }' "$scratch/capture_seconds")" s 5
    rm -f "$scratch/many.json"
}
