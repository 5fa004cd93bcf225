#!/bin/bash
# profctl export and a server that is slow, wrong, full or gone: what waits, what is lost, and what is said.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_server: a fake one, whose mode is in ./mode; its address is in $url.
start_server() {
    in_background "$programs/fake_clickhouse" >port
    server=$background
    wait_until test -s port
    url=clickhouse://127.0.0.1:$(cat port)/profiles
    echo "${1:-ok}" >mode
    : >requests
}

# start_session: of a process that is busy now and then until the end of the test.
start_session() {
    REST_MS=90 start_profd -- "$programs/busy" 600
    expect 0 "$profctl" start --rate 200
}

# start_export [OPTION…]: a "minute" is a second; its process id is in $export.
# shellcheck disable=SC2119,SC2120
start_export() {
    in_background "$profctl" export "$url" --every 1s --timeout 500ms --spool spool --label host=here "$@" 2>export.log
    export=$background
}

stop_export() {
    kill -TERM "$export"
    wait_until has_ended "$export"
}

inserts() {
    grep -c "^$1 .*INTO%20profiles.$2" requests
}

# has_inserts MODE TABLE N: that many at least.
has_inserts() {
    [ "$(inserts "$1" "$2")" -ge "$3" ]
}

waiting() {
    find spool -name '*.batch' | wc -l
}

has_waiting() {
    [ "$(waiting)" -ge "$1" ]
}

# profd runs the exporter itself, again when it ends, and has it finish before its own end.
test_profd_exports_by_itself() {
    local first
    start_server
    echo "{ \"always\": \"50Hz\", \"export\": \"$url\", \"programs\": [
        { \"name\": \"busy\", \"command\": [\"$programs/busy\", \"600\"] } ] }" >config.json
    REST_MS=90 XDG_STATE_HOME=$scratch/state start_profd --config config.json
    wait_until exporter_runs
    first=$exporter
    wait_until has_begun 1
    kill -KILL "$first"
    wait_until exporter_runs_beside "$first"
    # What the minute has so far goes into the spool at the end, for the next one to send.
    wait_until has_begun 2
    wait_until has_recorded
    expect 0 "$profctl" capture -o some.json
    refute grep -q profctl-http some.json # the exporter is part of profd
    refute grep -q incomplete stderr
    kill -TERM "$daemon"
    wait "$daemon"
    has_ended "$exporter"
    [ -n "$(find state/profd/spool -name '*.batch')" ]
    refute_profd --export http://127.0.0.1/d
    says "needs a URL like clickhouse://HOST/DATABASE" stderr
    refute_profd --export "$url" -- true
    says "cannot be used with a command" stderr
}

test_the_config_tells_how_profd_exports() {
    start_server
    cat >config.json <<END
{ "always": "50Hz",
  "export": { "url": "$url", "every": "1s", "timeout": "2s", "spool": "$scratch/spool", "spool_limit": "1M",
              "labels": { "host": "there", "zone": "a,b" } },
  "programs": [ { "name": "busy", "command": ["$programs/busy", "600"] } ] }
END
    REST_MS=90 start_profd --config config.json
    wait_until has_inserts ok samples 2
    says 'exporting to 127.0.0.1, database profiles, as there' profd.log
    [ -d spool ]
}

# Each capture waits for a stopped process for longer than a "minute": the next one is due when it is made.
test_what_is_taken_is_delivered_although_the_next_is_always_due() {
    start_server
    start_session
    LD_PRELOAD=$build/lib/libprofd.so WITH_IDLE_THREAD=1 in_background "$programs/loop" 1 missing
    local stopped=$background
    wait_until eval '"$profctl" status | grep "connected.*loop"'
    kill -STOP "$stopped"
    start_export --timeout 2s
    wait_until has_inserts ok samples 3
    kill -CONT "$stopped"
}

has_recorded() {
    "$profctl" --quiet capture --no-symbols -o seen.json && read_facts seen.json && has_process busy
}

exporter_runs() {
    exporter=$(pgrep -P "$daemon" -f 'profctl export')
}

# has_begun COUNT: so many exporters have, each of which then sees that it is to end.
has_begun() {
    [ "$(grep -c 'exporting to' profd.log)" -ge "$1" ]
}

exporter_runs_beside() {
    exporter_runs && [ "$exporter" != "$1" ]
}

refute_profd() {
    expect 2 "$profd" "$@"
    one_line stderr
}

# Options are read before --help is done.
test_the_options_of_the_example_for_kubernetes_are_known() {
    local options
    mapfile -t options < <(sed -n 's/^ *- \(--.*\)/\1/p' "$source_dir/examples/kubernetes/profd.yaml")
    [ "${#options[@]}" -ge 5 ]
    expect 0 "$profd" "${options[@]}" --help
}

test_each_minute_is_inserted() {
    start_server
    start_session
    start_export
    wait_until has_inserts ok samples 3
    wait_until has_inserts ok health 3
    has_inserts ok stacks 1
    stop_export
    says 'exporting to 127.0.0.1, database profiles, as here' export.log
    one_line export.log
}

# The same stack goes there once.
test_stacks_are_sent_once() {
    start_server
    start_session
    start_export
    wait_until has_inserts ok samples 5
    stop_export
    [ "$(inserts ok stacks)" -lt "$(inserts ok samples)" ] || # a rare one may come late
        fail "$(inserts ok stacks) batches of stacks, of a program that has hardly any"
}

# bad_server MODE WORDS: rows wait, one line says why, and what waited arrives when the server is right.
bad_server() {
    start_server "$1"
    start_session
    start_export
    wait_until has_waiting 4
    is_running "$export"
    says "$2" export.log
    [ "$(wc -l <export.log)" -eq 2 ]
    echo ok >mode
    wait_until has_inserts ok samples 2
    stop_export
    says 'the server accepts rows again' export.log
    refute grep -q lost export.log
}

test_a_slow_server_is_given_up_for_a_while() {
    bad_server slow '[Tt]imeout'
}

test_a_server_that_is_none_is_given_up_for_a_while() {
    bad_server wrong '127.0.0.1:[0-9]+: '
}

test_a_full_server_is_asked_again() {
    bad_server full 'answers 500: .*Cannot reserve 1.00 MiB'
}

# turns_bad MODE WORDS: what a server that was right only seems to take waits, one line says why, and it arrives later.
turns_bad() {
    start_server
    start_session
    start_export
    wait_until has_inserts ok samples 1
    echo "$1" >mode
    wait_until grep -q "the server is not accepting rows: .*$2" export.log
    wait_until has_waiting 3
    echo ok >mode
    wait_until grep -q 'the server accepts rows again' export.log
    stop_export
    refute grep -q lost export.log
}

test_a_page_for_people_is_no_answer() {
    turns_bad portal 'answers, but not as ClickHouse: <html>Please log in'
}

test_what_a_proxy_refuses_is_not_refused() {
    turns_bad proxy 'not a ClickHouse server: .* answers 413: <html>413'
}

test_an_exception_behind_the_headers_is_none_either() {
    turns_bad behind 'Code: 243. DB::Exception: Cannot reserve 1.00 MiB'
}

test_an_exception_in_a_header_is_none_either() {
    turns_bad coded 'exception 243'
}

test_a_redirect_is_not_followed() {
    in_background "$programs/fake_clickhouse" >elsewhere
    wait_until test -s elsewhere
    start_server redirect
    start_session
    start_export
    wait_until has_waiting 4
    says 'redirect, which is not followed' export.log
    refute grep -q '^ok' requests
    refute grep -qv '^redirect' requests
}

test_nobody_listens() {
    start_server
    kill -KILL "$server"
    wait "$server" 2>/dev/null || true
    start_session
    start_export
    wait_until has_waiting 4
    says 'accepting rows|connect' export.log
    stop_export
}

test_what_a_server_refuses_is_lost_and_counted() {
    start_server refuse
    start_session
    start_export
    wait_until has_inserts refuse health 2
    says 'rejected a batch, which is lost: .*Syntax error' export.log
    wait_until grep -q 'lost [0-9]* rows in [0-9]* batches$' export.log
    echo ok >mode
    wait_until has_inserts ok samples 1
    stop_export
}

# A batch that may have arrived is asked for, and not inserted when it has.
test_a_batch_of_which_nobody_knows_is_asked_for() {
    start_server cut
    echo 1000000 >has
    start_session
    start_export
    wait_until has_inserts cut samples 1
    wait_until grep -q '^cut .*AND batch = ' requests
    cut=$(inserts cut samples)
    wait_until has_inserts cut health 1
    [ "$(inserts cut samples)" -ge "$cut" ]
    first=$(grep -n 'INTO%20profiles.samples' requests | head -1 | cut -d: -f1)
    question=$(grep -n 'AND batch = ' requests | awk -F: -v first="$first" '$1 > first { print $1; exit }')
    # Nothing was inserted between the batch that was cut and the question, nor again after the answer.
    refute grep -q INTO <(sed -n "$((first + 1)),$((question - 1))p" requests)
    next=$(awk -v question="$question" 'NR > question && /INTO%20/ { print; exit }' requests)
    [[ $next == *INTO%20profiles.health* ]] || fail "after the answer came: $next"
    stop_export
}

# As one over midnight, of an older exporter: what is missing cannot be sent, and is not taken for stored.
test_rows_that_a_batch_lacks_are_counted() {
    start_server cut
    echo 1 >has
    start_session
    start_export
    wait_until grep -q 'stored a part of a batch that it failed at: [0-9]* rows of [0-9]* are lost' export.log
    stop_export
}

test_a_batch_that_did_not_arrive_is_inserted_again() {
    start_server cut
    echo 0 >has
    start_session
    start_export
    wait_until has_inserts cut samples 2
    echo ok >mode
    wait_until has_inserts ok health 1
    stop_export
}

test_the_spool_outlives_a_killed_exporter() {
    start_server full
    start_session
    start_export
    wait_until has_waiting 6
    kill -KILL "$export"
    wait "$export" 2>/dev/null || true
    before=$(waiting)
    : >requests
    echo ok >mode
    start_export
    wait_until has_inserts ok health 3
    stop_export
    [ "$(grep -c '^ok .*INTO' requests)" -ge "$before" ]
}

test_a_spool_written_by_a_crash() {
    start_server full
    start_session
    start_export
    wait_until has_waiting 6
    kill -KILL "$export"
    wait "$export" 2>/dev/null || true
    torn=$(find spool -name '*.batch' | sort | sed -n 2p)
    truncate -s -5 "$torn"
    echo half >spool/new.batch
    echo ok >mode
    start_export
    wait_until grep -q 'lost 2 damaged batches of the spool' export.log
    wait_until has_inserts ok health 2
    stop_export
    [ ! -e "$torn" ]
}

test_two_exporters_do_not_share_a_spool() {
    start_server
    start_session
    start_export
    wait_until grep -q 'exporting to' export.log
    expect 1 "$profctl" export "$url" --spool spool
    one_line stderr
    says 'another exporter uses the spool in spool; .*--spool' stderr
}

test_a_spool_to_which_others_may_write_is_refused() {
    mkdir -m 777 spool
    expect 1 "$profctl" export clickhouse://127.0.0.1:1/db --spool spool
    one_line stderr
    says 'spool in spool is not safe: others may write to it; run chmod 700 spool' stderr
}

# Nothing that stands in the spool keeps the rest from being sent.
test_nonsense_in_the_spool_is_passed_over() {
    start_server
    mkdir -m 700 spool
    mkfifo spool/0000000000000000.batch spool/covered.new spool/new.batch
    truncate -s 1T spool/0000000000000001.batch
    ln -s /dev/zero spool/0000000000000002.batch
    start_session
    start_export
    wait_until has_inserts ok samples 2
    stop_export
    says '0000000000000000.batch \(not a regular file\) and skipped it' export.log
    says '0000000000000001.batch \(larger than 64 MB\) and skipped it' export.log
    says '0000000000000002.batch \(not a regular file\) and skipped it' export.log
}

test_tables_of_another_schema_are_refused() {
    start_server
    echo 4 >version
    expect 1 "$profctl" export "$url" --spool spool
    one_line stderr
    says 'have schema 4, .* writes schema 3; install a newer profctl' stderr
    refute grep -q INSERT requests
    expect 1 "$profctl" query "$url"
    one_line stderr
    says 'schema 4' stderr
}

test_a_clock_that_is_a_day_off_is_told_and_corrected() {
    start_server tomorrow
    start_session
    start_export
    wait_until has_inserts tomorrow samples 2
    says "clock differs from the server's by -?8(640|639)[0-9] s" export.log
    stop_export
}

test_a_clock_of_another_century_is_not_believed() {
    start_server antique
    start_session
    start_export
    wait_until has_inserts antique samples 3
    stop_export
    refute grep -q 'clock differs' export.log
}

test_profd_may_be_gone_for_a_while() {
    start_server
    start_export
    wait_until grep -q 'nothing to export: no profd listens' export.log
    start_session
    wait_until has_inserts ok samples 1
    stop_export
    [ "$(grep -c 'no profd listens' export.log)" -eq 1 ]
}

# What the last second had goes into the spool.
test_the_end_loses_nothing() {
    start_server
    start_session
    start_export
    wait_until has_inserts ok samples 1
    stop_export
    [ "$(waiting)" -ge 2 ]
    wait "$export"
}

test_passwords_come_from_files() {
    start_server
    url=${url/:\/\//:\/\/me:$PWD\/secret@}
    expect 1 "$profctl" export "$url" --spool spool
    one_line stderr
    says "cannot read the password in $PWD/secret: No such file" stderr
    printf 'pa ss\n' >secret
    start_session
    start_export
    wait_until has_inserts ok samples 1
    refute grep -q 'pa ss' "/proc/$export/cmdline"
    stop_export
}

# What would never be read to its end is told, and an exporter that waits can be ended.
test_files_that_never_end_are_refused() {
    local file
    mkfifo fifo
    for file in "$PWD/fifo" /dev/zero "$PWD"; do
        expect 1 timeout -s KILL 10 "$profctl" export clickhouse://h/db --spool spool --label-file "$file"
        one_line stderr
        expect 1 timeout -s KILL 10 "$profctl" export "clickhouse://me:$file@h/db" --spool spool
        one_line stderr
        expect 1 timeout -s KILL 10 "$profctl" query "clickhouse+https://127.0.0.1:1/db?ca_file=$file"
        one_line stderr
        says "cannot read the certificates in $file: it is not a regular file" stderr
    done
}

test_bad_arguments_are_told_in_one_line() {
    local words
    while read -r words; do
        # shellcheck disable=SC2086
        expect 2 "$profctl" $words
        one_line stderr
    done <<'WORDS'
export
export http://h/db
export clickhouse://h/db;x
export clickhouse://h/db --spool s --every 10ms
export clickhouse://h/db --spool s --label a
export clickhouse://h/db --spool s --label =b
export clickhouse://h/db --spool s --label a=b,a=c
export clickhouse://h/db --spool s --label a=b --label a=c
query clickhouse://h/db --from yesterday
query clickhouse://h/db --from -1h --to -2h
query clickhouse://h/db --where a
query clickhouse://h/db --diff version=1
query clickhouse://h/db version=2
query clickhouse://h/db --diff a version=2
query clickhouse://h/db --diff a=1 b=2 -o x.json
WORDS
}

test_labels_of_a_file_must_be_of_the_downward_api() {
    echo "a=b" >labels
    expect 1 "$profctl" export clickhouse://h/db --spool spool --label-file labels
    one_line stderr
    says 'KEY="VALUE"' stderr
}

# A server that answers no query is given up, and told in one line.
test_a_query_of_a_bad_server_fails() {
    local mode
    start_server
    for mode in slow wrong redirect full; do
        echo $mode >mode
        expect 1 "$profctl" query "$url" --timeout 500ms
        one_line stderr
    done
}

run_tests "$@"
