#!/bin/bash
# Metrics over HTTP: what profd serves, and what Prometheus makes of it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# serve [ARGUMENT…]: profd with metrics at 127.0.0.1:$port.
serve() {
    local end=$((SECONDS + patience_s))
    until
        port=$((20000 + RANDOM % 10000))
        in_background "$profd" --socket "$PROFD_SOCKET" --metrics "$port" "$@" >profd.out 2>profd.log
        daemon=$background
        until_up_or_gone
    do
        [ $SECONDS -lt $end ] || fail "no port is free"
    done
}

until_up_or_gone() {
    until "$profctl" status >/dev/null 2>&1; do
        is_running "$daemon" || return 1
        sleep 0.02
    done
}

# The page, without its head, into ./page.
fetch() {
    exec {http}<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&"$http"
    sed '1,/^\r$/d' <&"$http" >page
    exec {http}<&-
}

# value NAME [LABEL]: of the line of ./page that begins so and has that label.
value() {
    grep "^$1[{ ]" page | grep -F -- "${2-}" | sed 's/.* //'
}

# has_value NAME LABEL NUMBER
has_value() {
    fetch && [ "$(value "$1" "$2")" = "$3" ]
}

# is_above NAME LABEL NUMBER
is_above() {
    fetch && value "$1" "$2" | awk -v least="$3" '{ found += $1 > least } END { exit !found }'
}

tenants_run() {
    in_background env "$programs/tenants" "$@" >tenants.out
    tenants=$background
    wait_until is_above profd_group_iteration_cpu_seconds_sum 'kind="tenant",name="busy"' 0.01
}

test_groups_are_measured_since_somebody_may_look() {
    serve
    tenants_run 100000
    [ "$(value profd_processes 'program="tenants"')" = 1 ]
    [ "$(value profd_metrics_pages_total)" -ge 0 ]
    grep -q '^profd_info{version="' page
}

loop_runs() {
    touch go
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/loop" 1 go
}

test_event_loops_are_seen() {
    serve
    loop_runs
    wait_until is_above profd_group_iteration_cpu_seconds_count 'level="thread",kind="thread",name="loop"' 20
}

test_nothing_is_measured_with_groups_none() {
    serve --groups none
    loop_runs
    wait_until has_value profd_processes 'program="loop"' 1
    sleep 1 # of its life: there is no event that something does not happen
    fetch
    [ -z "$(value profd_group_iteration_cpu_seconds_count 'name="loop"')" ]
}

# A counter never shrinks, and what was killed is still in it.
test_what_ended_processes_used_stays() {
    serve
    tenants_run 100000
    before=$(value profd_group_iteration_cpu_seconds_count 'kind="tenant",name="busy"')
    kill -KILL "$tenants"
    wait "$tenants" || true
    wait_until has_value profd_process_ends_total 'program="tenants",verdict="killed"' 1
    [ "$(value profd_processes 'program="tenants"')" = 0 ]
    after=$(value profd_group_iteration_cpu_seconds_count 'kind="tenant",name="busy"')
    [ "$after" -ge "$before" ]
    tenants_run 3
    wait_until has_value profd_process_ends_total 'program="tenants",verdict="exited"' 1
    [ "$(value profd_group_iteration_cpu_seconds_count 'kind="tenant",name="busy"')" -eq $((after + 3)) ]
}

test_each_end_is_counted() {
    serve
    for command in true false 'kill -9 $$'; do
        expect_any env LD_PRELOAD="$build/lib/libprofd.so" bash -c "$command; exit"
    done
    wait_until has_value profd_process_ends_total 'program="bash",verdict="exited"' 1
    wait_until has_value profd_process_ends_total 'program="bash",verdict="failed"' 1
    wait_until has_value profd_process_ends_total 'program="bash",verdict="killed"' 1
}

expect_any() {
    "$@" 2>/dev/null || true
}

test_a_scraper_that_never_reads_disturbs_nobody() {
    serve
    for _ in {1..20}; do
        exec {deaf}<>"/dev/tcp/127.0.0.1/$port"
        (trap '' PIPE && printf 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n%.0s' {1..200} >&"$deaf") 2>/dev/null || true
    done
    fetch
    [ -s page ]
    expect 0 "$profctl" status
}

# profd listens again when those have gone who were too many.
test_a_crowd_that_says_nothing_goes_away() {
    serve
    for _ in {1..100}; do
        (exec 9<>"/dev/tcp/127.0.0.1/$port" && sleep 60) 2>/dev/null &
    done
    wait_until fetch_a_page
    jobs -p | tail -n +2 | xargs kill 2>/dev/null || true
}

fetch_a_page() {
    timeout 3 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "GET /metrics HTTP/1.0\r\n\r\n" >&3 && grep -q profd_info <&3' - "$port"
}

test_a_unix_socket_is_for_owner_and_group() {
    start_profd --metrics "$PWD/metrics.sock"
    [ "$(stat -c %a metrics.sock)" = 660 ]
    kill "$daemon"
    wait "$daemon"
    [ ! -e metrics.sock ]
}

test_an_address_that_is_taken_is_said() {
    serve
    expect 1 "$profd" --socket "$PWD/other.sock" --metrics "$port"
    grep -q "cannot serve metrics at $port: .*Address already in use" stderr
    expect 2 "$profd" --metrics example.org:80
    grep -q -- "--metrics needs a PORT" stderr
}

# --- Prometheus ---

# asked EXPRESSION: Prometheus' answer.
asked() {
    "$tools/promtool" query instant "http://127.0.0.1:$view_port" "$1"
}

# says EXPRESSION: whether it is so for anything.
says() {
    [ -n "$(asked "$1")" ]
}

start_prometheus() {
    tools=$("$source_dir/scripts/prometheus" "$build/../tools/prometheus") || skip "there is no prometheus to be had"
    view_port=$((port + 10000))
    cp "$source_dir/examples/prometheus/profd.rules.yml" .
    sed "s/15s/1s\n  evaluation_interval: 1s/; s/9464/$port/" "$source_dir/examples/prometheus/prometheus.yml" >prometheus.yml
    in_background "$tools/prometheus" --config.file prometheus.yml --storage.tsdb.path data \
        --web.listen-address "127.0.0.1:$view_port" 2>prometheus.log
    wait_until says 'up == 1'
}

test_prometheus_reads_it_and_the_rules_of_the_example_work() {
    serve
    start_prometheus
    fetch
    "$tools/promtool" check metrics <page
    "$tools/promtool" check config prometheus.yml >/dev/null
    tenants_run 100000
    wait_until says 'profd_processes{program="tenants"} == 1'
    wait_until says 'rate(profd_group_iteration_cpu_seconds_sum{level="group", name="busy"}[1m]) > 0.01'
    wait_until says 'histogram_quantile(0.5, rate(profd_group_iteration_cpu_seconds_bucket{level="group", name="busy"}[1m])) > 0.002'
    until_stopped_within_an_iteration
    wait_until says 'ALERTS{alertname="ProfdHangs", program="tenants"}'
    kill -KILL "$tenants"
    wait_until says 'ALERTS{alertname="ProfdCrashes", program="tenants"}'
}

# It may be between two iterations.
until_stopped_within_an_iteration() {
    until
        kill -STOP "$tenants"
        is_above profd_group_running_seconds 'program="tenants"' 0
    do
        kill -CONT "$tenants"
    done
}

run_tests "$@"
