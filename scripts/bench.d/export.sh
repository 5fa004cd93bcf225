# Sourced by scripts/bench: export to a ClickHouse of our own, and a query of 200 hosts.
# shellcheck shell=bash disable=SC2154

run_clickhouse() {
    local folder=$scratch/clickhouse port
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
    clickhouse-server --config-file="$folder/config.xml" >"$folder/out" 2>&1 &
    background+=($!)
    clickhouse_url=clickhouse://127.0.0.1:$port/bench
    for _ in {1..150}; do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        sleep 0.2
    done
    return 1
}

# A million rows of 200 hosts: how large, how fast, and a flame graph of them.
clickhouse_of_200_hosts() {
    local begin_s wall
    if ! command -v clickhouse-server >/dev/null; then
        not_measured "200 hosts into ClickHouse" "no clickhouse-server"
        return
    fi
    run_clickhouse
    begin_s=$((($(date +%s) / 3600 - 2) * 3600))
    "$bench/bench_export" "$clickhouse_url" "$begin_s" >"$scratch/export"
    table <"$scratch/export"
    wall=$(for _ in 1 2 3 4 5; do
        seconds_of "$profctl" -q query "$clickhouse_url" --service web --from "$(date -u -d "@$begin_s" '+%F %T')" \
            --to "$(date -u -d "@$((begin_s + 3600))" '+%F %T')" -o "$scratch/flame.html"
    done | awk '{ print $1 }' | median)
    figure "flame graph of a service, 200 hosts, an hour" "$wall" s 2
}
