#!/bin/bash
# Names of libraries whose files are gone: by build id, from servers that the user allows.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A program without names, its debug information apart from it, and a capture of it without names.
make_stripped() {
    make_spinner only_named_elsewhere
    objcopy --only-keep-debug spin spin.debug
    strip spin
    build_id=$(readelf -n spin | sed -n 's/.*Build ID: *//p')
    [ -n "$build_id" ]
    expect 0 "$profctl" -q run --clock cpu --no-symbols -o raw.json -- ./spin
    rm spin
}

has_name() {
    "$profctl" report "$1" >report
    grep -q 'only_named_elsewhere' report
}

test_missing_symbols_are_told_with_what_was_looked_for() {
    make_stripped
    expect 0 "$profctl" report --missing-symbols raw.json
    grep -qE "^ +[0-9.]+ +[0-9.]+ +[0-9]+  spin, build id $build_id$" stdout
    grep -qE "^ +$PWD/spin: not there$" stdout
    grep -qE "^ +/usr/lib/debug/.build-id/${build_id:0:2}/${build_id:2}.debug: not there$" stdout
    expect 0 "$profctl" report --missing-symbols --json raw.json
    grep -q "\"buildId\":\"$build_id\"" stdout
}

# serve FOLDER: port in $port, until the end of the test.
serve() {
    command -v python3 >/dev/null || skip "there is no python3"
    python3 - "$1" >port 2>served <<'PY' &
import http.server, functools, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
PY
    wait_until test -s port
    port=$(cat port)
}

test_a_server_names_them_when_it_may_be_asked() {
    find /usr/lib -name 'libdebuginfod.so.1' 2>/dev/null | grep -q . || skip "there is no libdebuginfod"
    make_stripped
    mkdir -p "server/buildid/$build_id"
    cp spin.debug "server/buildid/$build_id/debuginfo"
    serve server
    export DEBUGINFOD_URLS="http://127.0.0.1:$port" DEBUGINFOD_CACHE_PATH=$PWD/cache
    expect 0 "$profctl" -q symbolicate -o without.json raw.json
    refute has_name without.json
    refute grep -q buildid served
    expect 0 "$profctl" -q symbolicate --debuginfod -o with.json raw.json
    has_name with.json
    grep -q "GET /buildid/$build_id/debuginfo" served
}

# Where the machine that converts it has no binaries.
test_raw_captures_are_named_by_servers() {
    find /usr/lib -name 'libdebuginfod.so.1' 2>/dev/null | grep -q . || skip "there is no libdebuginfod"
    make_spinner only_named_elsewhere
    objcopy --only-keep-debug spin spin.debug
    strip spin
    build_id=$(readelf -n spin | sed -n 's/.*Build ID: *//p')
    expect 0 "$profctl" -q run --clock cpu -o raw.profd -- ./spin
    rm spin
    mkdir -p "server/buildid/$build_id"
    cp spin.debug "server/buildid/$build_id/debuginfo"
    serve server
    export DEBUGINFOD_URLS="http://127.0.0.1:$port" DEBUGINFOD_CACHE_PATH=$PWD/cache
    expect 0 "$profctl" -q convert raw.profd -o without.collapsed
    refute grep -q only_named_elsewhere without.collapsed
    expect 0 "$profctl" -q convert --debuginfod raw.profd -o with.collapsed
    grep -q only_named_elsewhere with.collapsed
    expect 0 "$profctl" report --debuginfod raw.profd
    grep -q only_named_elsewhere stdout
}

# Nothing of it reaches the program, which may use debuginfod itself.
test_the_environment_of_the_program_stays_as_it_is() {
    find /usr/lib -name 'libdebuginfod.so.1' 2>/dev/null | grep -q . || skip "there is no libdebuginfod"
    export DEBUGINFOD_URLS=http://127.0.0.1:1
    expect 0 "$profctl" -q run --debuginfod -o out.json -- bash -c 'env | grep ^DEBUGINFOD >env.txt'
    [ "$(cat env.txt)" = "DEBUGINFOD_URLS=http://127.0.0.1:1" ]
}

test_asking_nobody_is_an_error() {
    unset DEBUGINFOD_URLS
    expect 2 "$profctl" symbolicate --debuginfod raw.json
    grep -q 'no server is named in DEBUGINFOD_URLS' stderr
    one_line stderr
}

run_tests "$@"
