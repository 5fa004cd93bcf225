#!/bin/bash
# profctl export and profctl query with a real ClickHouse, where one is installed.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# free_port: one that nobody listens at now, nor at the two behind it, as a server has three. From 32768 on the kernel
# gives them to connections.
free_port() {
    local port
    while port=$((20000 + 3 * (RANDOM % 4000))) &&
        (: <"/dev/tcp/127.0.0.1/$port" || : <"/dev/tcp/127.0.0.1/$((port + 1))" ||
            : <"/dev/tcp/127.0.0.1/$((port + 2))") 2>/dev/null; do
        continue
    done
    echo "$port"
}

# write_config [XML]: of the server, with more of it.
write_config() {
    cat >server/config.xml <<XML
<yandex>
  <logger><level>error</level><log>$PWD/server/log</log><errorlog>$PWD/server/errors</errorlog></logger>
  <http_port>$port</http_port><tcp_port>$((port + 1))</tcp_port><interserver_http_port>$((port + 2))</interserver_http_port>
  <listen_host>127.0.0.1</listen_host><path>$PWD/server/data/</path><tmp_path>$PWD/server/tmp/</tmp_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>${1:-}
</yandex>
XML
    cat >server/users.xml <<'XML'
<yandex><profiles><default/></profiles><quotas><default/></quotas><users>
  <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
  <me><password>pa ss</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></me>
</users></yandex>
XML
}

answers() {
    [ "$(printf 'GET /ping HTTP/1.0\r\n\r\n' | talk)" = Ok. ]
}

# talk: what the server says to the request on standard input, without its headers.
talk() {
    exec 9<>"/dev/tcp/127.0.0.1/$port" && cat >&9 && sed '1,/^\r$/d' <&9 && exec 9>&-
}

# sql STATEMENT: the answer, as tab-separated text.
sql() {
    printf 'POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$(printf %s "$1" | wc -c)" "$1" | talk
}

run_server() {
    in_background clickhouse-server --config-file="$PWD/server/config.xml" >server/out 2>&1
    server=$background
    wait_until answers_or_ended
    answers || { tail -n 5 server/errors >&2 && fail "clickhouse-server does not start"; }
}

answers_or_ended() {
    answers || ! kill -0 "$server" 2>/dev/null
}

need_server() {
    command -v clickhouse-server >/dev/null || skip "no clickhouse-server here; apt-get install clickhouse-server"
}

# start_server [XML]: with more of it in its configuration.
start_server() {
    need_server
    mkdir -p server/data server/tmp
    port=$(free_port)
    write_config "$@"
    run_server
    url=clickhouse://127.0.0.1:$port/profiles
}

# start_export NAME [OPTION…]: a "minute" is a second; its process id is in $export.
start_export() {
    local name=$1
    shift
    in_background "$profctl" export "$url" --every 1s --spool "spool-$name" "$@" 2>"$name.log"
    export=$background
}

has_rows() {
    [ "$(sql "SELECT count() FROM profiles.$1")" -ge "$2" ]
}

are_delivered() {
    local batch
    for batch in "$@"; do
        [ ! -e "$batch" ] || return 1
    done
}

end_export() {
    kill -TERM "$export"
    wait_until has_ended "$export"
}

# export_the_rest NAME: what an exporter leaves at its end is delivered by the next one, which makes some of its own
# meanwhile.
export_the_rest() {
    local left
    end_export
    mapfile -t left < <(find spool-* -name '*.batch')
    start_export "$1"
    wait_until grep -q 'exporting to' "$1.log"
    wait_until are_delivered "${left[@]}"
    end_export
}

# cpu_ms REPORT: of all, in a report as JSON.
cpu_ms() {
    grep -o '"cpuMs":[0-9.]*' "$1" | head -1 | cut -d: -f2
}

# is_near NUMBER OTHER: by no more than a fiftieth.
is_near() {
    awk -v a="$1" -v b="$2" 'BEGIN { d = a > b ? a - b : b - a; exit !(b > 0 && d <= b / 50) }' || fail "$1 is not near $2"
}

has_ended_program() {
    "$profctl" status --json | grep -q '"running":0\|"children":\[\]'
}

# What was exported of all the time is what a capture of all the time has: CPU time, functions, threads.
test_a_query_agrees_with_a_capture() {
    start_server
    start_profd
    expect 0 "$profctl" start --rate 200
    start_export all --label service=web
    wait_until grep -q 'exporting to' all.log
    LD_PRELOAD=$build/lib/libprofd.so "$programs/busy" 4 &
    wait $!
    expect 0 "$profctl" capture -o capture.json.gz
    expect 0 "$profctl" report --json capture.json.gz
    mv stdout capture.report
    wait_until has_rows health 5
    export_the_rest all
    expect 0 "$profctl" query "$url" --service web --json
    mv stdout query.report
    cp all.log stderr
    sql "SELECT minute, covered_ms, cpu_ns / 1e6, samples, rows FROM profiles.health FINAL ORDER BY minute" >stdout
    sql "SELECT minute, sum(cpu_ns) / 1e6, sum(samples), count() FROM profiles.samples GROUP BY minute ORDER BY minute" >>stdout
    is_near "$(cpu_ms query.report)" "$(cpu_ms capture.report)"
    for name in capture query; do
        grep -o '"function":"[^"]*","library":"[^"]*"' $name.report | sort -u >$name.functions
    done
    grep -q burn query.functions
    diff capture.functions query.functions
    [ "$(sql "SELECT sum(rows) FROM profiles.health FINAL")" -eq "$(sql "SELECT count() FROM profiles.samples")" ]
    [ "$(sql "SELECT sum(cpu_ns) FROM profiles.health FINAL")" -eq "$(sql "SELECT sum(cpu_ns) FROM profiles.samples")" ]
    [ "$(sql "SELECT sum(cpu_ns) FROM profiles.hours")" -eq "$(sql "SELECT sum(cpu_ns) FROM profiles.samples")" ]
}

# blocked_ms: for how long the handlers of uv_blocked kept its loop, by its own markers.
blocked_ms() {
    awk -F'\t' '$1 == "marker" && $4 ~ /handler$/ { sum += $6 - $5 } END { print sum }' facts
}

test_jank_is_where_events_kept_others_waiting() {
    start_server
    start_profd
    expect 0 "$profctl" start --clock wall
    start_export all
    wait_until grep -q 'exporting to' all.log
    LD_PRELOAD=$build/lib/libprofd.so "$programs/uv_blocked"
    expect 0 "$profctl" capture -o capture.json
    read_facts capture.json
    wait_until has_rows "samples WHERE jank_ns > 0" 1
    export_the_rest all
    expect 0 "$profctl" query "$url" --jank --json
    grep -q '"function":"[^"]*nanosleep' stdout
    refute grep -q '"function":"[^"]*epoll' stdout
    awk -v seen="$(cpu_ms stdout)" -v true="$(blocked_ms)" 'BEGIN { exit !(seen > true / 2 && seen < true * 1.1) }' ||
        fail "$(cpu_ms stdout) of $(blocked_ms) ms"
}

# make_history: rows of six hours, of two hosts and services, and their stacks. They begin at $begin_s, a whole hour.
make_history() {
    start_export tables
    wait_until has_rows profd_schema 1
    end_export
    begin_s=$(($(date +%s) / 3600 * 3600 - 7 * 3600))
    sql "INSERT INTO profiles.samples (service, minute, host, program, version, thread, label.key, label.value, stack,
        cpu_ns, samples, allocated_bytes, allocations) SELECT ['web', 'db'][number % 2 + 1],
        toDateTime($begin_s + intDiv(number, 32) * 60), ['a', 'b'][intDiv(number, 16) % 2 + 1],
        ['httpd', 'worker'][intDiv(number, 2) % 2 + 1], ['1', '2'][intDiv(number, 4) % 2 + 1],
        ['main thread', 'io'][intDiv(number, 8) % 2 + 1], ['zone'], [['north', 'south'][number % 3 % 2 + 1]],
        toFixedString(['one', 'two'][number % 5 % 2 + 1], 16), (1000 + number) * 1000000, 1, 10, 1
        FROM system.numbers LIMIT $((6 * 60 * 32))"
    for stack in one two; do
        sql "INSERT INTO profiles.stacks (stack, day, frames) SELECT toFixedString('$stack', 16), today(), ['main', '$stack']"
    done
    wait_until has_rows stacks 2
    wait_until eval '[ "$(sql "SELECT sum(samples) FROM profiles.hours")" -eq 11520 ]'
}

# utc MINUTES: the time so many behind the first row, as --from and --to take it.
utc() {
    date -u -d "@$((begin_s + $1 * 60))" '+%Y-%m-%d %H:%M'
}

# minutes_have FROM TO CONDITION: the sums of them, each as a line of the format that query_has writes.
minutes_have() {
    sql "SELECT concat(program, ';', thread, ';main;', stack, ' ', toString(intDiv(sum(cpu_ns), 1000))) FROM
        (SELECT program, thread, toStringCutToZero(stack) AS stack, cpu_ns FROM profiles.samples WHERE
            minute >= toDateTime($((begin_s + $1 * 60))) AND minute < toDateTime($((begin_s + $2 * 60))) AND $3)
        GROUP BY program, thread, stack FORMAT TSVRaw" | sort
}

# query_has FROM TO [OPTION…]: the same of a query.
query_has() {
    local from to
    from=$(utc "$1") to=$(utc "$2")
    shift 2
    expect 0 "$profctl" query "$url" --from "$from" --to "$to" "$@" -o out.collapsed
    sed 's/ ([0-9]*);/;/' out.collapsed | sort
}

# ranges: of minutes only, of whole hours only, of hours with minutes at one end and at both.
ranges() {
    printf '%s\n' '61 119' '60 300' '60 301' '59 120' '17 322'
}

# expect_sums_of_minutes CONDITION [OPTION…]: of all ranges.
expect_sums_of_minutes() {
    local from to
    while read -r from to; do
        minutes_have "$from" "$to" "$1" >wanted
        query_has "$from" "$to" "${@:2}" >given
        [ -s wanted ]
        diff wanted given || fail "minutes $from to $to where $1"
    done < <(ranges)
}

# What is asked for of whole hours comes from their sums, and is what the minutes have.
test_a_query_over_hours_has_the_sums_of_minutes() {
    start_server
    make_history
    expect_sums_of_minutes 1
    expect_sums_of_minutes "service = 'web'" --service web
    expect_sums_of_minutes "host = 'a'" --host a
    expect_sums_of_minutes "program = 'httpd'" --where program=httpd
    expect_sums_of_minutes "thread = 'io'" --where thread=io
    expect_sums_of_minutes "version = '2'" --where version=2
    expect_sums_of_minutes "label.value[1] = 'north'" --where zone=north
    expect_sums_of_minutes "service = 'db' AND program = 'worker' AND thread = 'io' AND version = '1'" \
        --service db --where program=worker --where thread=io --where version=1
    minutes_have 60 300 "thread = 'io'" >wanted
    sql "TRUNCATE TABLE profiles.samples"
    query_has 60 300 --where thread=io >given
    diff wanted given
    expect 1 "$profctl" query "$url" --from "$(utc 61)" --to "$(utc 119)"
}

test_a_comparison_over_hours_has_the_sums_of_minutes() {
    local version
    start_server
    make_history
    expect 0 "$profctl" query "$url" --from "$(utc 17)" --to "$(utc 322)" --where thread=io --json \
        --diff version=1 version=2
    for version in 1 2; do
        sql "SELECT sum(cpu_ns) / 1000000 FROM profiles.samples WHERE thread = 'io' AND version = '$version' AND
            minute >= toDateTime($((begin_s + 17 * 60))) AND minute < toDateTime($((begin_s + 322 * 60)))"
    done >wanted
    grep -o '"sampledMs":[0-9]*' stdout | cut -d: -f2 >given
    diff wanted given
}

# As profctl of version 1 of the tables left them, which knew no jank.
test_older_tables_are_given_what_they_lack() {
    start_server
    start_work
    end_export
    sql "ALTER TABLE profiles.samples DROP COLUMN jank_ns"
    for column in left_out_labels unnamed_addresses unsure_batches; do
        sql "ALTER TABLE profiles.health DROP COLUMN $column"
    done
    sql "DROP TABLE profiles.profd_schema"
    sql "CREATE TABLE profiles.profd_schema (version UInt32, made DateTime) ENGINE = MergeTree() PARTITION BY tuple() ORDER BY version"
    sql "INSERT INTO profiles.profd_schema SELECT 1, now()"
    expect 1 "$profctl" query "$url"
    one_line stderr
    says 'schema 1, .*; profctl export brings them up to date' stderr
    rows=$(sql "SELECT count() FROM profiles.samples")
    start_export work
    wait_until has_rows samples $((rows + 1))
    wait_until has_rows "health WHERE unnamed_addresses < 1000000000" $((rows > 0))
    expect 0 "$profctl" query "$url"
    expect 1 "$profctl" query "$url" --jank
    [ "$(sql "SELECT max(version) FROM profiles.profd_schema")" -eq 3 ]
}

test_a_query_has_the_allocations() {
    start_server
    start_profd
    LD_PRELOAD=$build/lib/profd/libprofd-malloc.so:$build/lib/libprofd.so in_background "$programs/allocates_for_ever"
    wait_until eval '"$profctl" start -f stacks,nativeallocs'
    start_export all
    wait_until has_rows "samples WHERE allocated_bytes > 0" 5
    export_the_rest all
    expect 0 "$profctl" query "$url" -o out.json
    grep -o '"type":"Native allocation","size":[0-9]*' out.json | awk -F: '{ sum += $3 } END { printf "%.0f\n", sum }' >sizes
    [ "$(cat sizes)" = "$(sql "SELECT sum(allocated_bytes) FROM profiles.samples")" ]
    expect 0 "$profctl" query "$url" -o out.processed.json
    grep -q '"nativeAllocations":{"length":[1-9]' out.processed.json
    refute grep -q memoryAddress out.processed.json
}

# start_work [OPTION…]: a process that is busy, and its exporter.
start_work() {
    start_profd -- "$programs/busy" 600
    expect 0 "$profctl" start --rate 100
    start_export work "$@"
    wait_until has_rows samples 2
}

test_every_format_is_made_of_a_query() {
    local ending
    start_server
    start_work
    for ending in json json.gz html collapsed speedscope.json pb.gz callgrind trace.json cpuprofile processed.json; do
        expect 0 "$profctl" query "$url" -o "out.$ending"
        [ -s "out.$ending" ] || fail "nothing in out.$ending"
    done
    grep -q 'main thread;.*burn_inner (in busy) [0-9]*$' out.collapsed
    expect 0 "$profctl" report out.json.gz
    says 'burn_inner' stdout
    for option in --tree --callers "--top 1"; do
        # shellcheck disable=SC2086
        expect 0 "$profctl" query "$url" $option
        says 'burn_inner' stdout
        says '[0-9,]+ rows were summed up' stderr
    done
}

test_what_has_no_name_or_room_is_counted() {
    start_server
    strip -o nameless "$programs/busy"
    start_profd -- env PROFD_LABELS="$(printf 'k%d=v,' {1..20})" ./nameless 600
    expect 0 "$profctl" start --rate 100
    start_export work
    wait_until has_rows "health WHERE left_out_labels = 4 AND unnamed_addresses > 0" 1
    says 'left out 4 labels of processes: a process can have 16' work.log
    [ "$(sql "SELECT max(length(label.key)) FROM profiles.samples")" -eq 16 ]
}

# Of any bytes: what is labelled so is found so, and is no SQL.
test_labels_have_any_bytes() {
    local version=$'1\'; DROP TABLE samples; -- "\\\n\t\xff'
    start_server
    PROFD_LABELS=note=hello start_work --label "service=a b,version=${version//\\/\\\\}" --label "zone="
    expect 0 "$profctl" query "$url" --service 'a b' --where "version=$version" --where zone= --where note=hello
    expect 1 "$profctl" query "$url" --where "version=$version "
    says 'no exported data matches' stderr
    expect 1 "$profctl" query "$url" --where "zone=' OR 1 = 1 --"
    expect 1 "$profctl" query "$url" --where "zo'ne=x"
    one_line stderr
    [ "$(sql "SELECT count() FROM profiles.samples WHERE length(version) = ${#version}")" -gt 0 ] ||
        [ "$(sql "SELECT count() FROM profiles.samples WHERE endsWith(version, '\\xff')")" -gt 0 ]
}

two_are_told_of() {
    [ "$(sql "SELECT uniq(exporter) FROM profiles.health WHERE host = '$1'")" -eq 2 ]
}

# Two exporters that call themselves alike: none takes the other's rows, and health tells them apart.
test_two_exporters_with_one_host_name() {
    start_server
    start_work --label host=twin,version=1
    first=$export
    start_export other --label host=twin,version=2
    wait_until grep -q exporting other.log
    wait_until "$profctl" query "$url" --host twin --diff version=1 version=2
    wait_until two_are_told_of twin
    expect 0 "$profctl" query "$url" --host twin --diff version=1 version=2
    says 'before profiles, version=1:' stdout
    says 'burn_inner' stdout
    expect 1 "$profctl" query "$url" --host other
    is_running "$first"
}

# expect_each_row_once: of those that health tells of.
expect_each_row_once() {
    local told arrived
    told=$(sql "SELECT sum(rows) FROM (SELECT any(rows) AS rows FROM profiles.health GROUP BY minute, exporter, covered_ms, cpu_ns)")
    arrived=$(sql "SELECT count() FROM profiles.samples")
    [ "$told" -eq "$arrived" ] || fail "$arrived rows of $told; health: $(sql "SELECT minute, covered_ms, cpu_ns, rows, count() FROM profiles.health GROUP BY minute, covered_ms, cpu_ns, rows ORDER BY minute FORMAT CSV" | tr '\n' ' ')"
}

# Killed under load and back: nothing is lost, and nothing is there twice.
test_a_killed_server_loses_nothing() {
    start_server
    start_work
    for _ in 1 2 3; do
        kill -KILL "$server"
        wait "$server" 2>/dev/null || true
        rows=$(find spool-work -name '*.batch' | wc -l)
        wait_until eval "[ \$(find spool-work -name '*.batch' | wc -l) -ge $((rows + 3)) ]"
        run_server
        count=$(sql "SELECT count() FROM profiles.health")
        wait_until has_rows health $((count + 2))
    done
    "$profctl" stop
    export_the_rest work
    expect_each_row_once
    [ "$(sql "SELECT sum(lost_rows) + sum(torn_batches) FROM profiles.health FINAL")" -eq 0 ]
    [ "$(sql "SELECT count() FROM (SELECT DISTINCT stack FROM profiles.samples) WHERE stack NOT IN (SELECT stack FROM profiles.stacks)")" -eq 0 ]
}

# The server takes longer than the exporter waits, and has the rows in the end: it is not sent them again meanwhile.
test_a_slow_server_has_each_row_once() {
    start_server
    start_work --timeout 1s
    sql "ALTER TABLE profiles.samples ADD COLUMN slow UInt8 DEFAULT sleep(3)"
    wait_until grep -q 'is not accepting rows' work.log
    wait_until eval "[ \$(find spool-work -name '*.batch' | wc -l) -ge 6 ]"
    "$profctl" stop
    sql "ALTER TABLE profiles.samples DROP COLUMN slow"
    export_the_rest work
    expect_each_row_once
}

# A table in place of the one of sums by hour, in which no stack has room.
spoil_hours() {
    sql "RENAME TABLE profiles.hours TO profiles.kept"
    sql "CREATE TABLE profiles.hours (service String, hour DateTime, source UInt64, stack FixedString(1), cpu_ns Int64, samples UInt64, allocated_bytes UInt64, allocations UInt64) ENGINE = MergeTree() PARTITION BY tuple() ORDER BY hour"
    wait_until grep -q 'is not accepting rows: .*pushing to view' work.log
    wait_until eval "[ \$(find spool-work -name '*.batch' | wc -l) -ge 4 ]"
}

mend_hours() {
    sql "DROP TABLE profiles.hours"
    sql "RENAME TABLE profiles.kept TO profiles.hours"
}

expect_hours_of_all_samples() {
    expect_each_row_once
    [ "$(sql "SELECT sum(cpu_ns), sum(samples) FROM profiles.hours")" = \
        "$(sql "SELECT sum(cpu_ns), sum(samples) FROM profiles.samples")" ]
    [ "$(sql "SELECT count() FROM profiles.hours WHERE source NOT IN (SELECT source FROM profiles.sources)")" -eq 0 ]
}

# Samples stay when the view that sums them by hour fails; the sums are made later.
test_hours_have_what_a_view_failed_at() {
    start_server
    start_work
    spoil_hours
    mend_hours
    wait_until grep -q 'accepts rows again' work.log
    "$profctl" stop
    export_the_rest work
    expect_hours_of_all_samples
}

# The exporter that was told so is killed: the next one finds out by itself, for the batch that lacks them and for one
# that does not.
test_hours_have_what_a_view_failed_at_for_another_exporter() {
    start_server
    start_work
    spoil_hours
    kill -KILL "$export"
    wait "$export" 2>/dev/null || true
    mend_hours
    samples=$(sql "SELECT count() FROM profiles.samples")
    start_export work
    wait_until has_rows samples $((samples + 1))
    kill -KILL "$export"
    wait "$export" 2>/dev/null || true
    refute grep 'may lack' work.log
    "$profctl" stop
    start_export work
    wait_until grep -q 'exporting to' work.log
    refute grep 'may lack' work.log
    export_the_rest work
    expect_hours_of_all_samples
}

# deliver: what is in the spool, by an exporter that does not know whether the first batch is there.
deliver() {
    local left
    mapfile -t left < <(find spool-work -name '*.batch')
    start_export work
    wait_until are_delivered "${left[@]}"
    end_export
}

# Whatever batch it is of which nobody knows, the server has it, and its sums have it.
test_a_batch_that_is_there_is_summed_once() {
    local batch
    start_server
    start_work
    kill -KILL "$server"
    wait "$server" 2>/dev/null || true
    wait_until eval "[ \$(find spool-work -name '*.batch' | wc -l) -ge 4 ]"
    "$profctl" stop
    end_export
    cp -r spool-work kept
    run_server
    deliver
    expect_hours_of_all_samples
    for batch in kept/*.batch; do
        cp "$batch" spool-work
        deliver
        refute grep 'may lack' work.log
    done
    expect_hours_of_all_samples
}

# What was recorded while there was none is exported by the next one.
test_a_killed_exporter_loses_no_time() {
    start_server
    start_work
    kill -KILL "$export"
    killed=$(date +%s)
    wait_until eval "[ \$(date +%s) -ge $((killed + 4)) ]"
    start_export work
    wait_until has_rows "samples WHERE minute > toDateTime($killed + 4)" 1
    export_the_rest work
    sql "SELECT minute, covered_ms, lost_ms FROM profiles.health FINAL ORDER BY minute" >stdout
    [ "$(sql "SELECT uniqExact(minute) = max(toUInt32(minute)) - min(toUInt32(minute)) + 1 FROM profiles.samples")" -eq 1 ]
    expect_each_row_once
}

# A server that comes back when the session is over gets what it missed.
test_what_is_left_arrives_without_a_session() {
    start_server
    start_work
    kill -KILL "$server"
    wait "$server" 2>/dev/null || true
    wait_until eval "[ \$(find spool-work -name '*.batch' | wc -l) -ge 3 ]"
    "$profctl" stop
    end_export
    mapfile -t left < <(find spool-work -name '*.batch')
    start_export work
    wait_until grep -q 'no session is active' work.log
    run_server
    wait_until are_delivered "${left[@]}"
}

test_old_partitions_are_dropped() {
    start_server
    start_work
    kill -TERM "$export"
    wait_until has_ended "$export"
    sql "INSERT INTO profiles.samples (service, minute, host) VALUES ('old', now() - 9 * 86400, 'h'), ('new', now() - 86400, 'h')"
    has_rows "samples WHERE service = 'old'" 1
    start_export work
    wait_until eval '! has_rows "samples WHERE service = '"'old'"'" 1'
    has_rows "samples WHERE service = 'new'" 1
}

# Of a zone that is off by a half hour: rows of hours begin where those of UTC do, which queries ask for.
test_hours_are_those_of_utc() {
    start_server "<timezone>Asia/Kolkata</timezone>"
    start_work
    end_export
    [ "$(sql "SELECT timezone()")" = Asia/Kolkata ]
    [ "$(sql "SELECT count() FROM profiles.hours WHERE toUInt32(hour) % 3600 != 0")" -eq 0 ]
    [ "$(sql "SELECT count() FROM profiles.hours")" -gt 0 ]
    [ "$(sql "SELECT min(intDiv(toUInt32(minute), 3600) * 3600) FROM profiles.samples")" = \
        "$(sql "SELECT min(toUInt32(hour)) FROM profiles.hours")" ]
}

test_users_have_passwords() {
    start_server
    url=${url/:\/\//:\/\/me:secret@}
    echo wrong >secret
    expect 1 "$profctl" query "$url"
    one_line stderr
    says 'password' stderr
    refute grep -q wrong stderr
    echo 'pa ss' >secret
    start_work
    expect 0 "$profctl" query "$url"
}

# A server with a certificate that nobody signed is not talked to; with the right file it is.
test_tls_is_checked() {
    command -v openssl >/dev/null || skip "no openssl"
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1 2>/dev/null
    secure_port=$(free_port)
    start_server "<https_port>$secure_port</https_port><openSSL><server><certificateFile>$PWD/cert.pem</certificateFile>
        <privateKeyFile>$PWD/key.pem</privateKeyFile><verificationMode>none</verificationMode></server></openSSL>"
    url=clickhouse+https://127.0.0.1:$secure_port/profiles
    expect 1 "$profctl" query "$url"
    one_line stderr
    says 'certificate' stderr
    url="$url?ca_file=$PWD/cert.pem"
    start_work
    expect 0 "$profctl" query "$url"
    says 'burn_inner' stdout
}

test_a_cluster_that_is_none_is_refused() {
    start_server
    expect 1 "$profctl" export "$url?cluster=nobody" --spool spool
    one_line stderr
    says "has no cluster 'nobody'" stderr
    expect 1 "$profctl" query "$url"
    one_line stderr
    says 'no tables of profd; profctl export creates them' stderr
}

start_zookeeper() {
    [ -e /usr/share/java/zookeeper.jar ] || skip "no zookeeper here; apt-get install zookeeper"
    keeper_port=$(free_port)
    mkdir -p keeper/data
    printf '%s\n' "dataDir=$PWD/keeper/data" "clientPort=$keeper_port" clientPortAddress=127.0.0.1 \
        admin.enableServer=false >keeper/zoo.cfg
    in_background java -cp '/usr/share/java/*' org.apache.zookeeper.server.quorum.QuorumPeerMain keeper/zoo.cfg \
        >keeper/out 2>&1
    wait_until eval '(: <"/dev/tcp/127.0.0.1/$keeper_port") 2>/dev/null'
}

# start_cluster: of two servers, each a shard, with ports, urls and servers of their own; $port is that of the last, and so is
# sql.
start_cluster() {
    local shard shards=""
    need_server
    ports=("$(free_port)" "$(free_port)")
    for shard in 0 1; do
        shards+="<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host>"
        shards+="<port>$((ports[shard] + 1))</port></replica></shard>"
    done
    for shard in 0 1; do
        mkdir -p "shard$shard/server/data" "shard$shard/server/tmp"
        cd "shard$shard"
        port=${ports[shard]}
        write_config "<interserver_http_host>127.0.0.1</interserver_http_host>
            <zookeeper><node><host>127.0.0.1</host><port>$keeper_port</port></node></zookeeper>
            <macros><shard>shard$shard</shard><replica>replica$shard</replica></macros>
            <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>
            <remote_servers><all>$shards</all></remote_servers>"
        run_server
        servers[shard]=$server
        cd ..
        urls[shard]="clickhouse://127.0.0.1:$port/profiles?cluster=all"
    done
    url=${urls[1]}
}

# has_new_rows_of HOST: and more than there were when it was last asked of them.
has_new_rows_of() {
    has_rows "samples WHERE host = '$1'" "$((${rows_of[$1]:-0} + 1))"
}

# Each of two exporters writes to a server of its own, and any server has the rows of both; also when both find tables
# of version 1, and give them what they lack at the same time.
test_a_cluster_has_the_rows_of_all() {
    declare -A rows_of
    start_zookeeper
    start_cluster
    url=${urls[0]} start_work --label host=one
    first=$export
    url=${urls[1]} start_export two --label host=two
    wait_until has_new_rows_of one
    wait_until has_new_rows_of two
    expect 0 "$profctl" query "$url" --host one
    expect 0 "$profctl" query "${urls[0]}" --host two
    end_export
    export=$first end_export
    # Old rows of a shard that no exporter names go as well.
    sql "INSERT INTO profiles.samples_local (service, minute, host) VALUES ('old', now() - 9 * 86400, 'h')"
    url=${urls[0]} start_export work --label host=one
    wait_until eval '! has_rows "samples WHERE service = '"'old'"'" 1'
    end_export
    sql "ALTER TABLE profiles.samples_local ON CLUSTER all DROP COLUMN jank_ns" >sql.out
    sql "DROP TABLE profiles.samples ON CLUSTER all" >sql.out
    sql "CREATE TABLE profiles.samples ON CLUSTER all AS profiles.samples_local ENGINE = Distributed(all, profiles, samples_local, cityHash64(host))" >sql.out
    sql "TRUNCATE TABLE profiles.profd_schema_local ON CLUSTER all" >sql.out
    sql "INSERT INTO profiles.profd_schema_local SELECT 1, now()"
    for host in one two; do
        rows_of[$host]=$(sql "SELECT count() FROM profiles.samples WHERE host = '$host'")
    done
    url=${urls[0]} start_export work --label host=one
    url=${urls[1]} start_export two --label host=two
    wait_until has_new_rows_of one
    wait_until has_new_rows_of two
    expect 1 "$profctl" query "$url" --jank
    says 'no exported data matches' stderr
}

is_another_shard_than_the_last() {
    [ "$(sql "SELECT cityHash64('$1') % 2")" -eq 0 ]
}

test_a_query_over_hours_has_the_sums_of_minutes_of_a_cluster() {
    start_zookeeper
    start_cluster
    make_history
    expect_sums_of_minutes 1
    expect_sums_of_minutes "service = 'web' AND program = 'httpd' AND label.value[1] = 'north'" \
        --service web --where program=httpd --where zone=north
}

# Rows for a server of the cluster that is away wait in the spool, though another one would take them for it.
test_rows_are_acknowledged_by_the_shard_that_has_them() {
    local host=a
    start_zookeeper
    start_cluster
    until is_another_shard_than_the_last "$host"; do
        host+=a
    done
    start_work --label host="$host"
    kill -KILL "${servers[0]}"
    wait "${servers[0]}" 2>/dev/null || true
    wait_until grep -q 'is not accepting rows' work.log
    wait_until eval "[ \$(find spool-work -name '*.batch' | wc -l) -ge 4 ]"
    cd shard0
    port=${ports[0]} run_server
    cd ..
    wait_until grep -q 'accepts rows again' work.log
    "$profctl" stop
    export_the_rest work
    expect_each_row_once
}

run_tests "$@"
