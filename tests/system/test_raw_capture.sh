#!/bin/bash
# Raw captures (NAME.profd): all that profd has, as it is; whatever is made of it later.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# start_family: processes that live with threads and without, one that stands still, others that exited and were
# killed, and short ones; in a session that is paused, so that captures after each other see the same.
start_family() {
    local patience_s=$((patience_s + $1 / 10)) # a machine that is slow and busy runs few of them in a second
    cat >family.sh <<SH
'$programs/busy' 0.3
'$programs/busy' 60 b &
until [ -s b ]; do sleep 0.02; done; kill -KILL "\$(cat b)"
for ((i = 0; i < $1; i++)); do /bin/true; done
(exit 3)
WITH_IDLE_THREAD=1 '$programs/numbered' '$scratch/n1' &
WITH_IDLE_THREAD=1 '$programs/numbered' '$scratch/n2' & echo \$! >stopped
'$programs/markers' >/dev/null
'$programs/busy' 60 alone &
touch all_begun
wait
SH
    start_profd -- bash -c "until [ -e go ]; do sleep 0.01; done; . ./family.sh"
    expect 0 "$profctl" start
    touch go
    wait_until [ -e all_begun ]
    wait_until test -s alone
    wait_until has_two
    mapfile -t numbered < <(pgrep -f "^$programs/numbered $scratch")
    children+=("$(cat stopped)" "$(cat alone)" "${numbered[@]}")
    expect 0 "$profctl" pause
    kill -STOP "$(cat alone)" # it finds out at its next tick
}

has_two() {
    [ "$("$profctl" --json status | grep -oE '/numbered", ?"state": ?"connected"' | wc -l)" -eq 2 ]
}

# settled_facts FILE: its facts without what a capture tells of its own time, process by process.
settled_facts() {
    read_facts "$1"
    awk -F'\t' '
        $1 == "meta" && $3 ~ /^(profilingEndTime|profd.cpuTime|profd.cpuTimeBefore)$/ { next }
        $1 == "meta" && $3 ~ /[gG]atheringLog/ { next }
        $1 == "marker" && ($4 ~ /aused/ || $8 ~ /^did not answer/) { next }
        { print }' facts | sort -t "$(printf '\t')" -s -k2,2
}

# has_same_facts CAPTURE OTHER: where the clock is reckoned up to the moment of the capture, times
# may differ by some nanoseconds.
has_same_facts() {
    settled_facts "$1" >first
    settled_facts "$2" >second
    [ -s first ]
    [ "$(wc -l <first)" -eq "$(wc -l <second)" ] || fail "$1 and $2 differ: $(diff first second | head -5)"
    paste -d '\n' first second | awk -F'\t' '
        function size(a) { return a < 0 ? -a : a }
        function is_near(a, b) { return a == b || (a + 0 != 0 && b + 0 != 0 && size(a - b) < 1e-3 + 1e-6 * size(a)) }
        NR % 2 { fields = split($0, first); next }
        { bad = fields != NF; for (i = 1; i <= NF; i++) bad = bad || !is_near(first[i], $i) }
        bad { print "not " first[1], first[2], first[3], first[4], first[5] " but " $0; exit 1 }' >difference ||
        fail "$1 and $2 differ: $(cat difference)"
}

test_it_tells_what_a_capture_does() {
    start_family 50
    kill -STOP "$(cat stopped)"
    expect 0 "$profctl" capture -o raw.profd
    says "did not answer .*: $(cat stopped) " stderr
    expect 0 "$profctl" capture -o named.json.gz
    expect 0 "$profctl" convert raw.profd -o converted.json.gz
    has_same_facts named.json.gz converted.json.gz
    read_facts converted.json.gz
    ended busy exited 0
    ended busy killed 9
    [ "$(meta_of numbered profd.verdict | sort | xargs)" = "frozen live" ]
    [ "$(process_count true)" -eq 50 ]
    [ "$(samples_of busy 'main thread')" -gt 10 ] || [ "$(samples_of busy GeckoMain)" -gt 10 ]
}

test_thousands_of_short_processes() {
    start_family 2000
    expect 0 "$profctl" capture -o raw.profd
    expect 0 "$profctl" capture -o named.json.gz
    expect 0 "$profctl" convert raw.profd -o converted.json.gz
    has_same_facts named.json.gz converted.json.gz
    [ "$(process_count true)" -eq 2000 ]
}

test_it_becomes_the_same_bytes_each_time() {
    make_spinner around
    expect 0 "$profctl" run -o raw.profd -- ./spin
    for format in collapsed json.gz trace.json html; do
        expect 0 "$profctl" convert raw.profd -o "first.$format"
        expect 0 "$profctl" convert raw.profd -o "second.$format"
        cmp "first.$format" "second.$format"
    done
    grep -q 'around (in spin)' first.collapsed
}

test_every_command_reads_it() {
    expect 0 "$profctl" run -o raw.profd -- "$programs/busy" 0.2
    says "wrote raw.profd .1 process, raw" stderr
    expect 0 "$profctl" report raw.profd
    says "burn_inner" stdout
    expect 0 "$profctl" report --diff raw.profd raw.profd
    expect 0 "$profctl" merge raw.profd raw.profd --offset 2:+1s -o merged.json.gz
    expect 0 "$profctl" report merged.json.gz
    says "burn_inner" stdout
    expect 0 "$profctl" view --no-browser --idle 1s raw.profd
}

# But for the line that begins with the file's name.
test_its_report_is_that_of_the_json_made_of_it() {
    expect 0 "$profctl" run -o raw.profd -- \
        bash -c "'$programs/busy' 0.2; '$programs/busy' 60 b & until [ -s b ]; do sleep 0.02; done; kill -KILL \$!; wait"
    expect 0 "$profctl" convert raw.profd -o made.json.gz
    for options in "" --tree --processes; do
        # shellcheck disable=SC2086
        expect 0 "$profctl" report $options raw.profd
        tail -n +2 stdout >of_raw
        expect 0 "$profctl" report $options made.json.gz
        tail -n +2 stdout | cmp of_raw -
    done
    expect 0 "$profctl" report raw.profd
    says "burn_inner" stdout
    says "killed" stdout
}

test_a_capture_that_ends_the_session_can_be_raw() {
    start_profd -- "$programs/busy" 60
    expect 0 "$profctl" start
    wait_until has_recorded
    expect 0 "$profctl" capture --stop -o raw.profd
    expect 0 "$profctl" report raw.profd
    says "burn_inner" stdout
}

has_recorded() {
    "$profctl" -q capture -o some.profd && "$profctl" report some.profd | grep -q burn_inner
}

# As on another machine, which has nothing but the debug information.
test_names_are_found_by_build_id() {
    local build_id
    unshare --mount true 2>/dev/null || skip "may not have mounts of its own"
    [ -d /usr/lib/debug ] || skip "there is no /usr/lib/debug"
    make_spinner only_named_elsewhere
    objcopy --only-keep-debug spin spin.debug
    strip spin
    build_id=$(readelf -n spin | sed -n 's/.*Build ID: *//p')
    [ -n "$build_id" ]
    expect 0 "$profctl" run -o raw.profd -- ./spin
    rm spin
    expect 0 "$profctl" convert raw.profd -o without.collapsed
    refute grep -q only_named_elsewhere without.collapsed
    mkdir -p "debug/.build-id/${build_id:0:2}"
    cp spin.debug "debug/.build-id/${build_id:0:2}/${build_id:2}.debug"
    for copy in first second; do
        expect 0 unshare --mount sh -c 'mount --bind debug /usr/lib/debug && exec "$@"' sh \
            "$profctl" convert raw.profd -o "$copy.collapsed"
    done
    grep -q 'only_named_elsewhere' first.collapsed
    cmp first.collapsed second.collapsed
}

# What an engine called its code is in the file, though its list is gone.
keeps_names_of() {
    expect 0 "$profctl" run -o raw.profd -- "$programs/jit" "$1"
    cp stdout said
    rm -f "/tmp/perf-$(cat said).map" ./jit-*.dump
    expect 0 "$profctl" report raw.profd
    says generated_burner stdout
}

test_a_perf_map_is_kept() {
    keeps_names_of map
}

test_a_jitdump_is_kept() {
    keeps_names_of dump
}

test_what_is_whole_of_one_that_is_cut_is_read() {
    local bytes at
    expect 0 "$profctl" run -o raw.profd -- sh -c '"$0" 0.1; "$0" 0.1; "$0" 0.1' "$programs/busy"
    bytes=$(stat -c %s raw.profd)
    for at in 9 100; do
        head -c "$at" raw.profd >cut.profd
        expect 1 "$profctl" report cut.profd
        one_line stderr
        says "cut.profd: .*(cut short|longer than the file)" stderr
    done
    for at in $((bytes - 3000)) $((bytes - 1)); do
        head -c "$at" raw.profd >cut.profd
        expect 0 "$profctl" report cut.profd
        one_line stderr
        says "cut.profd is incomplete: .*byte [0-9]+.*; read the intact part before that, [2-9] processes" stderr
        says 'burn_inner' stdout
        for format in json html trace.json processed.json; do
            expect 0 "$profctl" convert cut.profd -o "cut.$format"
        done
        expect 0 "$profctl" report cut.json
    done
}

test_a_damaged_one_is_told_with_its_place() {
    local bytes at
    expect 0 "$profctl" run -o raw.profd -- "$programs/busy" 0.1
    bytes=$(stat -c %s raw.profd)
    spoil 8
    expect 1 "$profctl" report bad.profd
    one_line stderr
    says "bad.profd: .*version" stderr
    spoil $((bytes / 3))
    expect 0 "$profctl" report bad.profd
    one_line stderr
    says 'omitted damaged parts of bad.profd: [0-9]+ made' stderr
    spoil 16 # the beginning, and then the end: busy is between them
    expect 0 "$profctl" report bad.profd
    one_line stderr
    says 'omitted damaged parts of bad.profd: [0-9]+ bytes from byte 16 on' stderr
    says burn_inner stdout
    spoil $((bytes - 12))
    expect 0 "$profctl" report bad.profd
    one_line stderr
    says "bad.profd is incomplete: .*damaged.*byte $((bytes - 16))" stderr
    says burn_inner stdout
}

# spoil BYTE: raw.profd with another bit there is bad.profd.
spoil() {
    local byte
    cp raw.profd bad.profd
    byte=$(od -An -tu1 -j "$1" -N 1 raw.profd)
    # shellcheck disable=SC2059 # the byte is the format
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of=bad.profd bs=1 seek="$1" conv=notrunc status=none
}

# Wherever a bit is another one, all processes but one are there as they were.
test_one_bit_costs_one_process_at_most() {
    local bytes at
    expect 0 "$profctl" run -o raw.profd -- sh -c '"$0" 0.1; "$0" 0.1; "$0" 0.1' "$programs/busy"
    bytes=$(stat -c %s raw.profd)
    for at in $(seq 24 $((bytes / 40)) $((bytes - 2))); do
        spoil "$at"
        expect 0 "$profctl" convert bad.profd -o bad.json
        says '(omitted damaged parts of bad.profd|bad.profd is incomplete)' stderr
        read_facts bad.json
        [ "$(grep -c '^process.*busy' facts)" -ge 2 ] || fail "byte $at: $(grep ^process facts)"
        has_function busy burn_inner
    done
}

test_what_is_no_raw_capture_is_refused() {
    : >empty.profd
    head -c 100000 /dev/urandom >garbage.profd
    { printf 'PROFDRAW'; head -c 100000 /dev/urandom; } >random.profd
    for file in empty garbage random; do
        expect 1 "$profctl" report "$file.profd"
        one_line stderr
        says "$file.profd" stderr
        expect 1 "$profctl" convert "$file.profd" -o out.json
        one_line stderr
        [ ! -e out.json ]
    done
}

test_a_full_disk_leaves_no_file() {
    mkdir small
    mount -t tmpfs -o size=16k tmpfs small 2>/dev/null || skip "may not mount"
    head -c 12k /dev/zero >small/filler
    start_profd -- "$programs/busy" 60
    expect 0 "$profctl" start
    wait_until has_recorded
    expect 1 "$profctl" capture -o small/raw.profd
    says "cannot write the capture: no space left on device" stderr
    one_line stderr
    [ "$(ls -A small)" = filler ]
    expect 0 "$profctl" capture -o raw.profd
    (export TMPDIR=$PWD/small && expect 1 "$profctl" report raw.profd)
    one_line stderr
    says "No space left.*TMPDIR" stderr
}

test_where_nothing_can_be_written() {
    expect 1 "$profctl" run --strict -o /nonexistent/raw.profd -- true
    says "cannot write /nonexistent/raw.profd" stderr
    expect 2 "$profctl" symbolicate "$programs/busy" -o raw.profd
    says "does not end in .json" stderr
}

run_tests "$@"
