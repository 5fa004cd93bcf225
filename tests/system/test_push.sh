#!/bin/bash
# profctl export to servers that take profiles: Pyroscope, Parca, and OTLP. The server in tests/system/programs refuses
# what their specifications refuse.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_server KIND [MODE]: its address is in $url; how it answers is in ./mode.
start_server() {
    in_background "$programs/fake_profile_store" >port
    wait_until test -s port
    url=$1+http://127.0.0.1:$(cat port)
    echo "${2:-ok}" >mode
    : >requests
}

start_session() {
    REST_MS=90 start_profd -- "$programs/busy" 600
    expect 0 "$profctl" start --rate 200
}

# start_export [OPTION…]: a "minute" is a second; its process id is in $export.
start_export() {
    in_background "$profctl" export "$url" --every 1s --timeout 500ms --spool spool --label host=here,service=web "$@" \
        2>export.log
    export=$background
}

stop_export() {
    kill -TERM "$export"
    wait_until has_ended "$export"
}

# has_requests PATTERN N: that many at least.
has_requests() {
    [ "$(grep -c -- "$1" requests)" -ge "$2" ]
}

waiting() {
    find spool -name '*.batch' | wc -l
}

has_waiting() {
    [ "$(waiting)" -ge "$1" ]
}

build_id() {
    readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# Each minute arrives with its labels, as profiles that pprof opens; none is wrong.
series_arrive() {
    start_server "$1"
    start_session
    start_export --label 'zone=eu-1,team.name=a"b'
    wait_until has_requests 'service_name=web' 3
    stop_export
    refute grep WRONG requests
    says '__name__=process_cpu service_name=web host=here program=busy' requests
    says 'team_name=a"b zone=eu-1' requests
    says 'exporting to 127.0.0.1:[0-9]*, as here' export.log
    one_line export.log
    gzip -dc profile-0.pb.gz >profile.pb
    grep -qa 'tests/system/programs/busy\.c' profile.pb || fail "no source file"
    grep -qa "$(build_id "$programs/busy")" profile.pb || fail "no build id"
    if command -v go >/dev/null; then
        expect 0 go tool pprof -top -sample_index=cpu profile-0.pb.gz
        says burn_inner stdout
    fi
}

test_pyroscope_takes_each_minute() {
    series_arrive pyroscope
    says '^ok /push.v1.PusherService/Push ' requests
}

test_parca_takes_each_minute() {
    series_arrive parca
    says '^ok /parca.profilestore.v1alpha1.ProfileStoreService/WriteRaw ' requests
}

# What is said of a program itself stands in place of what is found out about it.
a_label_has_the_name_of_another() {
    start_server "$1"
    start_profd
    expect 0 "$profctl" start --rate 200
    PROFD_LABELS="$2=ours" LD_PRELOAD=$build/lib/libprofd.so in_background "$programs/busy" 600
    start_export
    wait_until has_requests ' .*=' 3
    stop_export
    refute grep WRONG requests
    says "^ok .* $3=ours.* $4=busy" requests
    refute grep "$3=web" requests
}

test_a_label_takes_the_place_of_what_pyroscope_is_told() {
    a_label_has_the_name_of_another pyroscope service.name service_name program
    says '__name__=process_cpu' requests
}

test_a_label_takes_the_place_of_what_otlp_is_told() {
    a_label_has_the_name_of_another otlp service.name service.name process.executable.name
}

test_otlp_takes_each_minute() {
    start_server otlp
    start_session
    start_export --label zone=eu-1
    wait_until has_requests 'service.name=web' 3
    stop_export
    refute grep WRONG requests
    says '^ok /v1development/profiles service.name=web host.name=here process.executable.name=busy .*zone=eu-1' requests
    says 'samples/count=[1-9][0-9]* cpu/nanoseconds=[1-9][0-9]* ' requests
    says '\[burn_inner\]' requests
    says '\[thread.name\]' requests
    says '\[process.executable.build_id.gnu\]' requests
    says 'tests/system/programs/busy\.c\]' requests
}

# fields FILE: those of a message as protoc decodes it, which knows nothing of ours: the numbers that lead there, a tab,
# and the value.
fields() {
    protoc --decode_raw <"$1" | awk '
        function join(i, text) { for (i = 0; i < depth; i++) text = text path[i] "."; return text }
        $2 == "{" { path[depth++] = $1; next }
        $1 == "}" { depth--; next }
        { number = $1; sub(/:$/, "", number); sub(/^ *[0-9]+: /, ""); print join() number "\t" $0 }'
}

# has_fields FILE: exactly those on standard input are in the message: lines of their numbers, in which a comment follows,
# and of their type: number, fixed64, or bytes, which are strings and packed numbers, too, and may look like a message.
has_fields() {
    fields "$1" >fields
    awk -F'\t' '
        function is_of(type, value) {
            if (type == "fixed64") return value ~ /^0x[0-9a-f]+$/ && length(value) == 18
            return type == "bytes" || value ~ /^[0-9]+$/
        }
        NR == FNR {
            split($0, word, " ")
            types[word[1]] = word[2]
            for (n = split(word[1], number, "."); n > 0; n--) {
                whole = number[1]
                for (i = 2; i < n; i++) whole = whole "." number[i]
                if (n > 1) is_whole[whole] = 1
            }
            next
        }
        {
            known = ""
            for (path = $1; path != "" && known == ""; sub(/\.?[0-9]+$/, "", path)) if (path in types) known = path
            if (known != "" && (known == $1 ? is_of(types[known], $2) : types[known] == "bytes")) seen[known] = 1
            else if (!(is_whole[$1] && $2 == "\"\"")) print "should not be: " $1 " " $2
        }
        END { for (path in types) if (!(path in seen)) print "is not there: " path }' - fields >difference
    [ ! -s difference ] || fail "$1: $(head -n3 difference | xargs)"
}

# first_is_empty NUMBERS: of those in ./fields.
first_is_empty() {
    awk -F'\t' -v path="$1" '$1 == path || index($1, path ".") == 1 { exit !($1 == path && $2 == "\"\"") }' fields ||
        fail "the first of $1 is not empty"
}

# export_once KIND: a minute or two of a busy program, as the server has taken them.
export_once() {
    command -v protoc >/dev/null || skip "no protoc"
    start_server "$1"
    start_session
    start_export
    wait_until has_requests service 2
    stop_export
    refute grep WRONG requests
}

# As opentelemetry-proto numbers them.
test_otlp_has_the_fields_of_its_protocol() {
    local table
    export_once otlp
    has_fields message.pb <<END
1.1.1.1 bytes resource_profiles, resource, attributes, key
1.1.1.2.1 bytes value, string_value
1.2.1.1 bytes scope_profiles, scope, name
1.2.1.2 bytes version
1.2.2.1.1 number profiles, sample_type, type_strindex
1.2.2.1.2 number unit_strindex
1.2.2.2.1 number samples, stack_index
1.2.2.2.2 bytes attribute_indices
1.2.2.2.4 bytes values
1.2.2.3 fixed64 time_unix_nano
1.2.2.4 number duration_nano
1.2.2.7 bytes profile_id
2.1.4 number dictionary, mapping_table, filename_strindex
2.1.5 bytes attribute_indices
2.2.1 number location_table, mapping_index
2.2.3.1 number lines, function_index
2.3.1 number function_table, name_strindex
2.3.2 number system_name_strindex
2.3.3 number filename_strindex
2.4.1 bytes link_table, trace_id
2.4.2 bytes span_id
2.5 bytes string_table
2.6.1 number attribute_table, key_strindex
2.6.2.1 bytes value, string_value
2.7.1 bytes stack_table, location_indices
END
    for table in 1 2 3 5 6 7; do
        first_is_empty "2.$table"
    done
}

# As google/pprof numbers those of a profile.
has_fields_of_pprof() {
    gzip -dc profile-0.pb.gz >profile.pb
    has_fields profile.pb <<END
1.1 number sample_type, type
1.2 number unit
2.1 bytes sample, location_id
2.2 bytes value
2.3.1 number label, key
2.3.2 number str
3.1 number mapping, id
3.5 number filename
3.6 number build_id
3.7 number has_functions
3.8 number has_filenames
4.1 number location, id
4.2 number mapping_id
4.4.1 number line, function_id
5.1 number function, id
5.2 number name
5.3 number system_name
5.4 number filename
6 bytes string_table
9 number time_nanos
10 number duration_nanos
11.1 number period_type, type
11.2 number unit
14 number default_sample_type
END
    first_is_empty 6
}

test_pyroscope_has_the_fields_of_its_protocol() {
    export_once pyroscope
    has_fields message.pb <<END
1.1.1 bytes series, labels, name
1.1.2 bytes value
1.2.1 bytes samples, raw_profile
END
    has_fields_of_pprof
}

test_parca_has_the_fields_of_its_protocol() {
    export_once parca
    has_fields message.pb <<END
2.1.1.1 bytes series, labels, labels, name
2.1.1.2 bytes value
2.2.1 bytes samples, raw_profile
END
    has_fields_of_pprof
}

# What was told to a server adds up to what a capture has of the same time, but for its edges.
test_what_arrives_is_the_processes_cpu_time() {
    local told report
    start_server otlp
    start_profd
    expect 0 "$profctl" start --rate 200
    start_export
    wait_until grep -q 'exporting to' export.log
    LD_PRELOAD=$build/lib/libprofd.so "$programs/busy" 3 &
    wait $!
    expect 0 "$profctl" capture --no-symbols -o capture.json
    wait_until has_requests busy 3
    stop_export
    start_export
    wait_until has_none_waiting
    stop_export
    refute grep WRONG requests
    told=$(told_ms busy)
    report=$("$profctl" report --json capture.json | grep -o '"cpuMs":[0-9.]*' | head -1 | cut -d: -f2)
    awk -v a="$told" -v b="$report" 'BEGIN { d = a > b ? a - b : b - a; exit !(b > 1000 && d <= b / 50) }' ||
        fail "$told ms were told, and $report ms captured"
}

# told_ms PROGRAM: its CPU time in milliseconds.
told_ms() {
    tr ' ' '\n' <requests | awk -F= -v program="$1" '$1 == "process.executable.name" { name = $2 }
        $1 == "cpu/nanoseconds" && name == program { sum += $2 } END { printf "%.0f", sum / 1e6 }'
}

# Most of these end before their first sample. The shell that waits for them says what the kernel charged to them.
test_programs_too_short_for_a_sample_are_told() {
    local told used
    start_server otlp
    start_profd --always 19Hz
    start_export
    wait_until grep -q 'exporting to' export.log
    cp "$programs/busy" last
    LD_PRELOAD=$build/lib/libprofd.so bash -c 'for ((i = 0; i < 150; i++)); do "$0" 0.025; done; times; ./last 0.001; true' \
        "$programs/busy" >used
    wait_until has_requests process.executable.name=last 1
    stop_export
    refute grep WRONG requests
    told=$(told_ms busy)
    used=$(sed -n 2p used | tr 'ms' '  ' | awk '{ printf "%.0f", 1e3 * (60 * ($1 + $3) + $2 + $4) }')
    awk -v a="$told" -v b="$used" 'BEGIN { d = a > b ? a - b : b - a; exit !(b >= 3750 && d <= b / 100) }' ||
        fail "$told ms were told, and $used ms used"
}

has_none_waiting() {
    [ "$(waiting)" -eq 0 ] && grep -q 'exporting to' export.log
}

# has_source PROGRAM [ZONE]: whether something was told of that program with that zone; without one.
has_source() {
    sed 's/service\.name=/\n&/g' requests | grep "process.executable.name=$1 " | grep -v '[ .]zone=' >without || true
    if [ $# -eq 1 ]; then
        [ -s without ]
    else
        sed 's/service\.name=/\n&/g' requests | grep -q "process.executable.name=$1 .*zone=$2"
    fi
}

# runs_next BEFORE AFTER PROGRAM: a shell with the labels BEFORE works, and becomes PROGRAM with the labels AFTER.
runs_next() {
    PROFD_LABELS=$1 LD_PRELOAD=$build/lib/libprofd.so bash -c '[ -n "$PROFD_LABELS" ] || unset PROFD_LABELS
        for ((i = 0; i < 30000; i++)); do :; done
        export PROFD_LABELS=$0; [ -n "$0" ] || unset PROFD_LABELS; exec "$@"' "$2" "./$3" "${4:-0.2}"
}

# Shells that have labels from the start are told of their own; what a process becomes has others, or none.
test_each_program_of_a_process_has_its_own_labels() {
    local name
    start_server otlp
    for name in one two three four; do
        cp "$programs/busy" $name
    done
    start_profd
    expect 0 "$profctl" start --rate 200
    start_export --every 1h
    wait_until grep -q 'exporting to' export.log
    runs_next zone=a zone=b one
    runs_next zone=c '' two
    in_background runs_next zone=d zone=e three 600
    in_background runs_next '' zone=f four 600
    wait_until has_recorded three
    wait_until has_recorded four
    stop_export
    start_export --every 1h
    wait_until has_none_waiting
    stop_export
    refute grep WRONG requests
    has_source bash a && has_source bash c && has_source bash d
    has_source one b && has_source two && has_source three e && has_source four f
    has_source bash
    refute has_source one a
    refute has_source two c
    refute has_source three d
    refute has_source bash b
    refute has_source bash e
    refute has_source bash f
}

has_recorded() {
    "$profctl" --quiet capture --no-symbols -o seen.json && "$profctl" report --json seen.json | grep -q "\"$1\""
}

# What a server that is away or busy does not take waits, and arrives later.
waits_for() {
    start_server "$1" "$2"
    start_session
    start_export
    wait_until has_waiting 3
    wait_until grep -q "the server is not accepting rows: .*$3" export.log
    echo ok >mode
    wait_until grep -q 'accepts rows again' export.log
    wait_until has_requests '^ok ' 2
    stop_export
    refute grep -E 'lost|WRONG' export.log requests
}

test_a_busy_server_is_left_alone_and_tried_again() {
    waits_for pyroscope busy 'answers 429: later'
}

test_a_server_that_is_full_is_tried_again() {
    waits_for otlp full 'answers 503: full'
}

test_pyroscope_answers_with_no_page() {
    waits_for pyroscope portal 'answers, but not as Pyroscope: <html>Log in'
}

test_parca_answers_with_no_page() {
    waits_for parca portal 'did not answer in gRPC-Web'
}

test_otlp_answers_with_no_page() {
    waits_for otlp portal 'answers, but not as a collector: <html>Log in'
}

test_an_answer_that_is_cut_off_is_asked_for_again() {
    start_server parca cut
    start_session
    start_export
    wait_until has_requests '^cut ' 2
    echo ok >mode
    wait_until grep -q 'accepts rows again' export.log
    stop_export
    refute grep -E 'lost' export.log
}

# is_lost KIND REASON
is_lost() {
    start_server "$1" refuse
    start_session
    start_export
    wait_until grep -q "the server rejected a batch, which is lost: .*$2" export.log
    stop_export
    refute grep WRONG requests
}

test_what_pyroscope_refuses_is_lost_and_told() {
    is_lost pyroscope 'answers 400: not that'
}

test_what_parca_refuses_is_lost_and_told() {
    is_lost parca 'gRPC status 3: not that'
}

test_what_otlp_drops_is_told() {
    start_server otlp partial
    start_session
    start_export
    wait_until grep -q 'the server rejected 3 profiles of a batch: too old' export.log
    stop_export
}

# However long the server's reason is.
test_what_otlp_drops_is_counted() {
    start_server otlp lengthy
    start_session
    start_export
    wait_until grep -q 'the server rejected 3 profiles of a batch: too old, too old, ' export.log
    wait_until grep -q 'lost [1-9][0-9]* profiles of batches that the server took' export.log
    stop_export
}

test_a_warning_of_otlp_is_told_once() {
    start_server otlp warning
    start_session
    start_export
    wait_until has_requests '^warning ' 4
    stop_export
    [ "$(grep -c 'the server took a batch, and says: too old$' export.log)" -eq 1 ]
    refute grep -E 'lost|rejected' export.log
}

test_a_token_stands_in_a_file() {
    start_server pyroscope
    echo secret >token
    start_session
    start_export
    wait_until grep -q 'is not accepting rows: .*401: no token' export.log
    stop_export
    : >requests
    url="$url?token_file=$PWD/token&tenant=us"
    start_export
    wait_until has_requests '^ok ' 2
    stop_export
    refute grep WRONG requests
}

# says_of URL: what an export says first, to a server that need not be there.
says_of() { first_line_of export "$1" --spool spool; }

# first_line_of ARGUMENT…: what such a profctl says first; it is ended then.
first_line_of() {
    in_background "$profctl" "$@" 2>says.log
    wait_until test -s says.log
    head -n1 says.log >first
    kill -TERM "$background" 2>/dev/null || true # it may have given up
    wait_until has_ended "$background"
    rm -rf spool
}

# Addresses of documentation: nobody is there.
test_secrets_that_anybody_can_read_are_told() {
    echo secret >token
    says_of "pyroscope+http://192.0.2.1?token_file=$PWD/token"
    says '^profctl: the token is sent to 192.0.2.1:4040 without TLS; use pyroscope[+]https://$' first
    says_of "clickhouse://me:$PWD/token@192.0.2.1/profiles"
    says '^profctl: the password of me is sent to 192.0.2.1 without TLS; use clickhouse[+]https://$' first
    first_line_of query "clickhouse://me:$PWD/token@192.0.2.1/profiles"
    says '^profctl: the password of me is sent to 192.0.2.1 without TLS; use clickhouse[+]https://$' first
    for url in "otlp+https://192.0.2.1?token_file=$PWD/token" "otlp+http://192.0.2.1" \
        "otlp+http://127.0.0.1:1?token_file=$PWD/token" "clickhouse://me@192.0.2.1/profiles" \
        "clickhouse://me:$PWD/token@localhost:1/profiles"; do
        says_of "$url"
        refute grep TLS says.log
    done
}

# Another one takes its place while the exporter runs, as in Kubernetes.
test_a_token_may_be_replaced() {
    start_server pyroscope
    echo secret >token
    echo secret >own-token
    url="$url?token_file=$PWD/own-token"
    start_session
    start_export
    wait_until has_requests '^ok ' 1
    echo 'new secret' >token
    echo 'new secret' >own-token
    : >requests
    wait_until has_requests '^ok .*service_name=web' 2
    has_requests '^denied ' 1
    stop_export
    refute grep lost export.log
}

test_a_spool_is_of_one_kind_of_server() {
    start_server pyroscope full
    start_session
    start_export
    wait_until has_waiting 1
    stop_export
    url=otlp+${url#*+}
    expect 1 "$profctl" export "$url" --every 1s --spool spool
    says 'the spool has batches for another kind of server; give this export its own with --spool' stderr
    has_waiting 1
}

test_an_address_that_is_none_is_refused() {
    local url
    for url in pyroscope://h otlp+http:// parca+http://h:0 'otlp+http://h?color=red' 'otlp+http://h/a b' \
        'otlp+http://h?ca_file=/c'; do
        expect 2 "$profctl" export "$url" --spool spool
        one_line stderr
        says 'cannot export to that address: ' stderr
    done
    expect 1 "$profctl" export 'pyroscope+http://127.0.0.1:1?token_file=/no/such' --spool spool
    one_line stderr
    says 'cannot read the token in /no/such: No such file' stderr
}

# A server with a certificate that nobody signed is not talked to; with the right file it is.
test_tls_is_checked() {
    command -v openssl >/dev/null || skip "no openssl"
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 1 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1 2>/dev/null
    mkfifo silence
    port=$((20000 + RANDOM % 20000))
    # It says to the other side what it reads, and ends when there is no more.
    in_background bash -c 'exec openssl s_server -quiet -accept "$0" -key key.pem -cert cert.pem <>silence' \
        "127.0.0.1:$port" >received 2>&1
    start_session
    url=otlp+https://127.0.0.1:$port
    start_export
    wait_until grep -qi 'is not accepting rows: 127.0.0.1:[0-9]*: .*certificate' export.log
    stop_export
    refute grep POST received
    url="$url?ca_file=$PWD/cert.pem"
    start_export
    wait_until grep -q 'POST /v1development/profiles' received
    stop_export
}

# told_bytes: what programs have allocated, as far as it was told.
told_bytes() {
    grep -o ' alloc_space/bytes=[1-9][0-9]*' requests
}

test_a_session_that_is_always_on_has_allocations_on_request() {
    start_server otlp
    start_profd --always 50Hz --always-features stacks,nativeallocs -- "$programs/allocates_for_ever"
    start_export
    wait_until told_bytes
    stop_export
    refute grep WRONG requests
}

# Programs that profd does not start have the library of the hooks themselves.
test_a_config_asks_for_allocations_too() {
    start_server otlp
    echo "{ \"always\": \"50Hz\", \"always_features\": \"stacks,nativeallocs\" }" >config.json
    start_profd --config config.json
    LD_PRELOAD=$build/lib/profd/libprofd-malloc.so:$build/lib/libprofd.so in_background "$programs/allocates_for_ever"
    start_export
    wait_until told_bytes
    stop_export
    refute grep WRONG requests
}

test_profd_runs_such_an_export() {
    start_server pyroscope
    echo "{ \"always\": \"50Hz\", \"export\": \"$url\", \"programs\": [
        { \"name\": \"busy\", \"command\": [\"$programs/busy\", \"600\"] } ] }" >config.json
    REST_MS=90 XDG_STATE_HOME=$scratch/state start_profd --config config.json
    wait_until test -d state/profd/spool-pyroscope
    expect 0 "$profctl" status
    says '^a minute +[0-9.]+ ms of CPU in profd, [0-9.]+ ms in its exporter' stdout
}

run_tests "$@"
