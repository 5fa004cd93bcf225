# Sourced by scripts/bench: where nothing runs, nothing should be woken.
# shellcheck shell=bash disable=SC2034,SC2154

asleep() {
    local clock
    for clock in "${clocks[@]}"; do
        table < <(run_profiled "$bench/program_asleep" | sed "s/idle threads/&, $(clock_name "$clock")/")
    done
}

resident_kilobytes() {
    awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

# All that are there, profd included, which runs them.
idle_processes() {
    local tries=0 count=1000 clock="${clocks[0]}" what="CPU of 1,000 idle processes and profd" shares=$scratch/shares resident
    rm -f "$scratch/started"
    start_daemon -- sh -c "until [ -e '$scratch/go' ]; do sleep 0.05; done
        while [ \$((i += 1)) -le $count ]; do sleep 10000 & done
        touch '$scratch/started'; wait"
    "$profctl" start ${clock:+--clock "$clock"} --memory-limit 1G >/dev/null 2>&1
    resident=$(resident_kilobytes "$daemon")
    touch "$scratch/go"
    until [ -e "$scratch/started" ]; do sleep 0.2; done
    until [ "$("$profctl" --json status | grep -oE '"connected":[0-9]+' | cut -d: -f2)" -gt "$count" ]; do
        [ $((tries += 1)) -lt 60 ] || break
        sleep 1
    done
    sleep 5
    "$bench/bench_idle_share" "$daemon" 10 >"$shares"
    if [ "$(value processes <"$shares" | cut -d. -f1)" -gt "$count" ]; then
        figure "$what" "$(value share <"$shares")" % 0.1
        figure "... profd's memory for each" "$((($(resident_kilobytes "$daemon") - resident) / count))" KB 32
    else
        not_measured "$what" "they are only $(value processes <"$shares")"
    fi
    stop_daemon
}
