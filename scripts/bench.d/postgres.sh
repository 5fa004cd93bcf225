# Sourced by scripts/bench: a PostgreSQL server that answers small queries, bare, profiled, and under perf record.
# shellcheck shell=bash disable=SC2034,SC2154

# It refuses to be root.
as_server() {
    if [ "$(id -u)" -ne 0 ]; then
        "$@"
    else
        setpriv --reuid="$server_user" --regid="$server_user" --clear-groups env HOME="$server" "$@"
    fi
}

# Debian keeps the server's programs out of PATH.
find_postgres() {
    local found
    for found in $(command -v postgres) /usr/lib/postgresql/*/bin/postgres; do
        [ ! -x "$found" ] || postgres=$found
    done
    [ -n "$postgres" ] && command -v pgbench >/dev/null
}

prepare_postgres() {
    server=$scratch/postgres
    server_user=nobody
    ! id postgres >/dev/null 2>&1 || server_user=postgres
    rm -rf "$server" # of a row before
    mkdir -p "$server"
    chmod 711 "$scratch"
    [ "$(id -u)" -ne 0 ] || chown "$server_user:" "$server"
    as_server test -x "$profctl" &&
        as_server "${postgres%/*}/initdb" -D "$server/data" --auth=trust --username=bench --no-sync >"$scratch/postgres.log" 2>&1 &&
        printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$server'" "fsync = off" \
            "shared_buffers = 256MB" >>"$server/data/postgresql.conf" &&
        start_postgres as_server && query --initialize --scale=10 --quiet >/dev/null 2>&1 && stop_postgres
}

query() {
    pgbench --host="$server" --username=bench "$@" postgres
}

# start_postgres COMMAND…: under COMMAND, until it answers.
start_postgres() {
    local tries=0
    rm -f "$server/data/postmaster.pid"
    "$@" "$postgres" -D "$server/data" >"$scratch/postgres.log" 2>&1 &
    server_job=$!
    background+=("$server_job")
    until psql --host="$server" --username=bench -c 'select 1' postgres >/dev/null 2>&1; do
        [ $((tries += 1)) -lt 300 ] || return 1
        sleep 0.1
    done
}

stop_postgres() {
    kill -INT "$(head -n1 "$server/data/postmaster.pid")"
    wait "$server_job" || true
}

profiled_server() {
    as_server "$profctl" --quiet run --no-symbols ${1:+--clock "$1"} -o "$server/capture.json" -- "${@:2}"
}

# perf stays who it is, so that it may record the kernel's part as well.
server_under_perf() {
    if [ "$(id -u)" -ne 0 ]; then
        perf_record "$@"
    else
        perf_record setpriv --reuid="$server_user" --regid="$server_user" --clear-groups "$@"
    fi
}

# transactions COMMAND…: in a second, of eight clients, where the server runs under COMMAND.
transactions() {
    start_postgres "$@" || return
    query --no-vacuum --select-only --client=8 --time=1 >/dev/null 2>&1
    query --no-vacuum --select-only --client=8 --jobs=2 --time=4 2>/dev/null | awk '/^tps/ { print $3 }'
    stop_postgres
}

# transaction_ratios A B: of each round.
transaction_ratios() {
    paste "$scratch/transactions-$1" "$scratch/transactions-$2" | awk '{ print $1 / $2 }'
}

pgbench_select() {
    local what="pgbench -S, 8 clients, transactions / bare" postgres="" round clock with_perf=false
    find_postgres || { not_measured "$what" "needs postgresql"; return; }
    prepare_postgres || { not_measured "$what" "no server can be started: $(tail -n1 "$scratch/postgres.log")"; return; }
    rm -f "$scratch"/transactions-*
    ! can_perf || with_perf=true
    for ((round = 0; round < rounds; round++)); do
        transactions as_server >>"$scratch/transactions-bare"
        for clock in "${clocks[@]}"; do
            transactions profiled_server "$clock" >>"$scratch/transactions-$clock"
        done
        transactions profiled_server wall >>"$scratch/transactions-wall"
        ! "$with_perf" || transactions server_under_perf >>"$scratch/transactions-under-perf"
    done
    for clock in "${clocks[@]}"; do
        transaction_ratios "$clock" bare | ranged_figure "$what, $(clock_name "$clock")" "x at least" 0.96
        if "$with_perf"; then
            transaction_ratios "$clock" under-perf | ranged_figure "... / under perf record -F 1000 -g" "x at least" 1.2
        else
            not_measured "... / under perf record -F 1000 -g" "perf is not here or may not record"
        fi
    done
    row "... --clock wall / bare" "$(transaction_ratios wall bare | median) x" - -
    ! "$with_perf" || row "... under perf record -F 1000 -g / bare" "$(transaction_ratios under-perf bare | median) x" - -
}
