# Sourced by scripts/bench: many processes, and what becomes of one that is profiled.
# shellcheck shell=bash disable=SC2154

start_exit() {
    table < <(run_profiled "$bench/program_start_exit" "$bench/program_nothing")
}

# In a session, at an interval that a thousand idle samplers can keep here: what profd does is the same.
idle_children() {
    local daemon interval=100ms
    # shellcheck disable=SC2016 # the shell that is started expands them
    start_profd sh -c 'until [ -e "$0" ]; do sleep 0.05; done; exec "$1"' "$scratch/go" \
        "$bench/program_idle_children"
    touch "$scratch/go"
    if wait "$daemon"; then
        table <"$scratch/output"
    else
        not_measured "profd with 1,000 idle children" "$(tail -n1 "$scratch/stderr")"
    fi
    unset PROFD_SOCKET
}

recording_children() {
    local daemon interval=1ms
    start_profd sleep infinity
    if PROFD_DISABLE=1 "$bench/bench_children" "$PROFD_SOCKET" "$daemon" >"$scratch/children" 2>"$scratch/why"; then
        table <"$scratch/children"
    else
        not_measured "profd with 1,000 children at 1 ms" "$(tail -n1 "$scratch/why")"
    fi
    kill "$daemon"
    wait "$daemon" || true
    unset PROFD_SOCKET
}
