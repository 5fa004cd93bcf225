# Sourced by scripts/bench: what many processes cost profd.
# shellcheck shell=bash disable=SC2034,SC2154

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
