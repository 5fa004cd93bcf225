#!/bin/bash
# profctl view: a page, the profile and the symbolication API over HTTP, for who knows the secret.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A program whose source is where the compiler saw it, and a capture that keeps its addresses.
make_capture() {
    make_spinner spin_around
    expect 0 "$profctl" -q run --clock cpu --no-symbols -o "$1" -- ./spin
}

# begin_view FILE [OPTION…]: its pid in $view, port in $port, secret in $token.
begin_view() {
    "$profctl" view --no-browser "${@:2}" "$1" >urls 2>view.err &
    view=$!
    wait_until test -s urls
    page=$(sed -n 's/^Page: *//p' urls)
    port=$(sed -E 's|.*:([0-9]+)/.*|\1|' <<<"$page")
    token=$(sed -E 's|.*/([0-9a-f]{32})/$|\1|' <<<"$page")
    [ ${#token} -eq 32 ]
}

# ask METHOD PATH [BODY]: the head of the answer in head, the rest in body.
ask() {
    local sent=${3:-}
    exec {http}<>"/dev/tcp/127.0.0.1/$port"
    printf '%s %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$1" "$2" "${#sent}" "$sent" >&"$http"
    cat <&"$http" >answer
    exec {http}<&-
    sed '/^\r$/q' answer >./head
    sed '1,/^\r$/d' answer >body
}

has_status() {
    head -1 head | grep -q " $1 " || fail "$(head -1 head)"
}

test_the_profile_and_a_page_are_served() {
    make_capture raw.json
    begin_view raw.json
    ask GET "/$token/profile.json"
    has_status 200
    grep -qi '^Access-Control-Allow-Origin: \*' head
    cmp body raw.json
    ask GET "/$token/"
    has_status 200
    grep -qi '^Content-Type: text/html' head
    grep -qi '<!doctype html>' body
    grep -q "^Firefox Profiler: https://profiler.firefox.com/from-url/http%3A%2F%2F127.0.0.1%3A$port%2F$token%2Fprofile.json/?symbolServer=http%3A%2F%2F127.0.0.1%3A$port%2F$token$" urls
    kill -INT "$view"
    wait "$view"
}

# The Firefox Profiler takes files of native functions from its own format alone; convert writes the same.
test_a_capture_with_names_is_served_with_the_files_of_functions() {
    make_spinner spin_around
    expect 0 "$profctl" -q run --clock cpu -o named.json.gz -- ./spin
    expect 0 "$profctl" -q convert named.json.gz -o named.processed.json
    begin_view named.json.gz
    ask GET "/$token/profile.json"
    has_status 200
    refute grep -qi '^Content-Encoding' head
    grep -q "\"$PWD/spin.c\"" body
    cmp body named.processed.json
}

test_a_compressed_profile_is_said_to_be() {
    make_capture raw.json.gz
    begin_view raw.json.gz
    ask GET "/$token/profile.json"
    grep -qi '^Content-Encoding: gzip' head
    gzip -dc body | grep -q spin
}

test_addresses_get_names_sources_and_code() {
    make_capture raw.json
    begin_view raw.json
    library=$(tr '}' '\n' <raw.json | grep -o '"debugName":"spin".*"breakpadId":"[0-9A-F]*"' | head -1)
    id=$(sed 's/.*"breakpadId":"//; s/"$//' <<<"$library")
    offset=$(nm spin | sed -n 's/^0*\([0-9a-f]*\) T spin_around$/\1/p')
    ask POST "/$token/symbolicate/v5" '{"jobs":[{"memoryMap":[["spin","'"$id"'"]],"stacks":[[[0,'$((16#$offset))']]]}]}'
    has_status 200
    grep -q '"function":"spin_around"' body
    grep -q "\"file\":\"$PWD/spin.c\",\"line\":3" body
    where='"debugName":"spin","debugId":"'$id'"'
    ask POST "/$token/source/v1" "{$where,\"moduleOffset\":\"0x$offset\",\"file\":\"$PWD/spin.c\"}"
    grep -q '1.0000001' body
    ask POST "/$token/source/v1" "{$where,\"moduleOffset\":\"0x$offset\",\"file\":\"/etc/passwd\"}"
    grep -q '"error":' body
    refute grep -q root: body
    ask POST "/$token/asm/v1" "{$where,\"startAddress\":\"0x$offset\",\"size\":\"0x1\",\"continueUntilFunctionEnd\":true}"
    grep -q '"ret"\]' body
}

test_without_the_secret_there_is_nothing() {
    make_capture raw.json
    begin_view raw.json
    for path in / /profile.json /00000000000000000000000000000000/profile.json "/$token" "/${token}0/profile.json"; do
        ask GET "$path"
        has_status 404
        refute grep -q spin body
    done
    ask POST "/symbolicate/v5" '{}'
    has_status 404
    refute grep -qi '^Access-Control-Allow-Origin' head
    ask POST "/$token/symbolicate/v5" 'no json'
    has_status 400
    grep -qi '^Access-Control-Allow-Origin: \*' head # the Firefox Profiler is to see why
    ask POST "/$token/nothing/v1" '{}'
    has_status 404
    grep -qi '^Access-Control-Allow-Origin: \*' head
    ask DELETE "/$token/profile.json"
    has_status 405
}

# Who never sends all, or never reads, keeps nobody else out.
test_others_are_served_beside_who_never_ends() {
    make_capture raw.json
    begin_view raw.json
    exec {slow}<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST /%s/symbolicate/v5 HTTP/1.0\r\nContent-Length: 1000\r\n\r\n{' "$token" >&"$slow"
    exec {deaf}<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /%s/profile.json HTTP/1.0\r\n\r\n' "$token" >&"$deaf"
    ask GET "/$token/profile.json"
    has_status 200
    cmp body raw.json
}

interrupted() {
    kill -INT "$view"
    has_ended "$view"
}

# A request that never ends stands for one that takes long.
test_who_is_impatient_ends_it_within_a_request() {
    make_capture raw.json
    cat >stuck.c <<'C'
#include <fcntl.h>
#include <unistd.h>
void *dwfl_begin(const void *callbacks);
void *dwfl_begin(const void *callbacks)
{
    close(open("is-stuck", O_CREAT | O_WRONLY, 0600));
    for (;;)
        pause();
    return (void *)callbacks;
}
C
    gcc -shared -fPIC -o stuck.so stuck.c
    id=$(tr '}' '\n' <raw.json | sed -n 's/.*"debugName":"spin".*"breakpadId":"\([0-9A-F]*\)".*/\1/p' | head -1)
    LD_PRELOAD=./stuck.so begin_view raw.json
    ask POST "/$token/symbolicate/v5" '{"jobs":[{"memoryMap":[["spin","'"$id"'"]],"stacks":[[[0,4096]]]}]}' &
    wait_until test -e is-stuck
    wait_until interrupted
}

# So that connections of others, which are as many as there may be, do not keep out who knows the secret.
test_who_does_not_tell_the_secret_is_awaited_less() {
    make_capture raw.json
    begin_view raw.json
    exec {known}<>"/dev/tcp/127.0.0.1/$port"
    printf 'POST /%s/symbolicate/v5 HTTP/1.0\r\nContent-Length: 11\r\n\r\n{' "$token" >&"$known"
    for _ in {1..100}; do
        exec {silent}<>"/dev/tcp/127.0.0.1/$port"
        silents+=("$silent")
    done
    for silent in "${silents[@]}"; do
        cat <&"$silent"
        exec {silent}<&-
    done
    printf '"jobs":[]}' >&"$known"
    cat <&"$known" >./head
    has_status 200
}

# The command's own status is the last word.
test_run_shows_its_capture_at_once() {
    make_capture raw.json
    "$profctl" -q run --open --clock cpu -o out.json -- bash -c './spin; exit 7' >urls 2>view.err &
    view=$!
    wait_until grep -q '^Page: ' urls
    kill -INT "$view"
    status=0
    wait "$view" || status=$?
    [ "$status" -eq 7 ]
}

# Not a piece at a time, whenever somebody looks: a megabyte would take minutes.
test_large_files_are_sent_at_once() {
    make_capture raw.json
    { printf '{"padding":"' && head -c 3000000 /dev/zero | tr '\0' a && printf '",' && tail -c +2 raw.json; } >large.json
    begin_view large.json
    timeout "$patience_s" bash -c "$(declare -f ask); port=$port; ask GET /$token/profile.json"
    cmp body large.json
}

test_it_ends_when_nobody_asks() {
    make_capture raw.json
    expect 0 "$profctl" view --no-browser --idle 100ms raw.json
    grep -q '^Page: ' stdout
}

test_wrong_words_are_refused() {
    make_capture raw.json
    begin_view raw.json
    expect 1 "$profctl" view --no-browser --port "$port" raw.json
    grep -q "port $port is taken" stderr
    one_line stderr
    expect 2 "$profctl" view --no-browser /dev/null
    one_line stderr
    for words in "missing.json" "spin.c"; do
        expect 1 "$profctl" view --no-browser "$words"
        one_line stderr
    done
    expect 2 "$profctl" view --port 70000 raw.json
    expect 2 "$profctl" view
}

run_tests "$@"
