# Sourced by scripts/bench: export to a ClickHouse of our own, a query of 200 hosts, and a server that goes away.
# shellcheck shell=bash disable=SC2154

# run_clickhouse NAME: with a folder of that name; its port is in $clickhouse_port.
run_clickhouse() {
    local folder=$scratch/$1 port
    port=$((20000 + RANDOM % 20000))
    mkdir -p "$folder/data" "$folder/tmp"
    cat >"$folder/config.xml" <<XML
<yandex><logger><level>error</level><log>$folder/log</log><errorlog>$folder/errors</errorlog></logger>
<http_port>$port</http_port><tcp_port>$((port + 1))</tcp_port><listen_host>127.0.0.1</listen_host>
<path>$folder/data/</path><tmp_path>$folder/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size></yandex>
XML
    cat >"$folder/users.xml" <<'XML'
<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
XML
    clickhouse_folder=$folder clickhouse_port=$port clickhouse_url=clickhouse://127.0.0.1:$port/bench
    start_clickhouse
}

# start_clickhouse: the one of the last folder; its process id is in $clickhouse_pid.
start_clickhouse() {
    clickhouse-server --config-file="$clickhouse_folder/config.xml" >"$clickhouse_folder/out" 2>&1 &
    clickhouse_pid=$!
    background+=($!)
    until_so 600 answers_by_tcp
}

answers_by_tcp() {
    (: <"/dev/tcp/127.0.0.1/$clickhouse_port") 2>/dev/null
}

# until_so TIMES COMMAND…: the command until it succeeds, five times a second.
until_so() {
    local times=$1
    shift
    for ((; times > 0; times--)); do
        "$@" && return
        sleep 0.2
    done
    return 1
}

# sql STATEMENT: what the server answers.
sql() {
    exec 9<>"/dev/tcp/127.0.0.1/$clickhouse_port"
    printf 'POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "${#1}" "$1" >&9
    sed '1,/^\r$/d' <&9
    exec 9>&-
}

# A million rows of 200 hosts: how large, how fast, and a flame graph of them.
clickhouse_of_200_hosts() {
    local begin_s wall
    if ! command -v clickhouse-server >/dev/null; then
        not_measured "200 hosts into ClickHouse" "no clickhouse-server"
        return
    fi
    run_clickhouse clickhouse
    begin_s=$((($(date +%s) / 3600 - 2) * 3600))
    "$bench/bench_export" "$clickhouse_url" "$begin_s" >"$scratch/export"
    table <"$scratch/export"
    wall=$(for _ in 1 2 3 4 5; do
        seconds_of "$profctl" -q query "$clickhouse_url" --service web --from "$(date -u -d "@$begin_s" '+%F %T')" \
            --to "$(date -u -d "@$((begin_s + 3600))" '+%F %T')" -o "$scratch/flame.html"
    done | awk '{ print $1 }' | median)
    figure "flame graph of a service, 200 hosts, an hour" "$wall" s 2
}

# export_to DATABASE [OPTION…]: an exporter whose "minute" is a second, with a spool of that name.
export_to() {
    PROFD_SOCKET=$scratch/gone.sock "$profctl" export "${clickhouse_url%/*}/$1" --every 1s --spool "$scratch/$1" \
        "${@:2}" 2>"$scratch/$1.log" &
    background+=($!)
}

# batches DATABASE: in its spool, but for the one that is being written.
batches() {
    find "$scratch/$1" -name '*.batch' ! -name new.batch -printf '%f\n' | sort
}

has_no_batches() {
    [ -z "$(batches "$1")" ]
}

has_minutes() {
    [ "$(sql "SELECT count() FROM $1.health" 2>/dev/null)" -ge 3 ] 2>/dev/null
}

# watch_batches DATABASE SECONDS: all that were in the spool meanwhile are in $scratch/seen.
watch_batches() {
    local until_s=$((SECONDS + $2))
    while [ $SECONDS -lt $until_s ]; do
        batches "$1"
        sleep 0.2
    done | sort -u >"$scratch/seen"
}

# lost_batches DATABASE: as its exporter tells.
lost_batches() {
    sed -n 's/.* lost [0-9]* rows in \([0-9]*\) batches.*/\1/p' "$scratch/$1.log" | awk '{ sum += $1 } END { print sum + 0 }'
}

# much_to_export: a thread of many stacks, and sixty processes that do little, with labels that nothing compresses.
much_to_export() {
    local i key labels
    for ((i = 0; i < 60; i++)); do
        labels=
        for key in a b c; do
            labels+=${labels:+,}$key=$(head -c 240 /dev/urandom | base64 -w0 | tr -dc 'a-zA-Z0-9' | head -c 250)
        done
        PROFD_LABELS=$labels REST_MS=990 "$programs/busy" 2 &
    done
    exec "$bench/program_deep" 150 >/dev/null
}

# A server that is gone for sixty intervals of two exports: one has room for them, the other has not.
clickhouse_gone() {
    local gone_s=60 begun told arrived lost
    export -f much_to_export
    export programs bench
    if ! command -v clickhouse-server >/dev/null; then
        not_measured "ClickHouse gone, then back" "no clickhouse-server"
        return
    fi
    run_clickhouse gone
    PROFD_SOCKET=$scratch/gone.sock "$build/bin/profd" --socket "$scratch/gone.sock" -- bash -c much_to_export &
    background+=($!)
    until_so 150 test -S "$scratch/gone.sock"
    PROFD_SOCKET=$scratch/gone.sock "$profctl" --quiet start --rate 1000
    export_to within
    export_to beyond --spool-limit 1M
    until_so 300 has_minutes within
    until_so 300 has_minutes beyond
    kill -KILL "$clickhouse_pid"
    wait "$clickhouse_pid" 2>/dev/null || true
    watch_batches beyond $((gone_s + 5)) &
    sleep "$gone_s"
    PROFD_SOCKET=$scratch/gone.sock "$profctl" --quiet stop # there is nothing new to lose, and what was lost is told
    wait $!
    lost=$(comm -23 "$scratch/seen" <(batches beyond) | wc -l)
    told=$(lost_batches beyond)
    start_clickhouse
    until_so 600 has_no_batches within
    arrived=$(sql "SELECT count() FROM within.samples")
    begun=$(sql "SELECT sum(rows) FROM within.health")
    figure "ClickHouse gone for $gone_s intervals of an export: rows that are missing, of $begun" \
        "$((begun - arrived + $(lost_batches within)))" rows 0
    if [ "$lost" -eq 0 ]; then
        not_measured "... batches that are lost and not counted" "the spool had room"
        return
    fi
    figure "... with a spool of 1 MB: of $lost batches that it lost, not counted" "$((lost > told ? lost - told : told - lost))" \
        batches 0
}
