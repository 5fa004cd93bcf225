# Sourced by scripts/bench: a profd of its own.
# shellcheck shell=bash disable=SC2154

# start_profd COMMAND…: a daemon with a session, whose process is $daemon and output $scratch/output.
start_profd() {
    export PROFD_SOCKET=$scratch/profd.sock
    "$build/bin/profd" --memory-limit 1G -- "$@" >"$scratch/output" 2>"$scratch/stderr" &
    daemon=$!
    background+=("$daemon")
    until "$profctl" start --interval "$interval" --memory-limit 1G >/dev/null 2>&1; do sleep 0.05; done
}

# start_daemon ARGUMENT…: with $PROFD_SOCKET, until it answers; its process id is in $daemon.
start_daemon() {
    export PROFD_SOCKET=$scratch/profd.sock
    "$build/bin/profd" "$@" >"$scratch/profd.log" 2>&1 &
    daemon=$!
    background+=("$daemon")
    until "$profctl" status >/dev/null 2>&1; do sleep 0.05; done
}

stop_daemon() {
    kill "$daemon"
    wait "$daemon" || true
    unset PROFD_SOCKET
}
