#!/bin/bash
# One memory limit for everything that is recorded, whatever happens to profd.
# Runs alone: the writers take all the CPU time that there is, and what they hold is looked at from outside.
# shellcheck source=lib.sh disable=SC1010
. "$(dirname "$0")/lib.sh"

limit_bytes=$((8 * 1024 * 1024))

are_frozen() {
    local process
    for process in "$@"; do
        # shellcheck disable=SC2143 # -L names those files that have no such line
        [ -z "$(grep -L '^State:[[:space:]]*[TZX]' "/proc/$process/task/"*/status)" ] || return 1
    done
}

# arena_bytes: what all arenas and the exit store take, as the kernel counts, without asking profd. The
# writers are frozen meanwhile: what moves from one to another while they are looked at one by one would
# be counted twice.
arena_bytes() {
    local process running
    mapfile -t running < <(pgrep -f "^$programs/writer $scratch")
    kill -STOP "${running[@]}"
    wait_until are_frozen "${running[@]}"
    for process in "$daemon" "${running[@]}"; do
        find "/proc/$process/fd" -lname '/memfd:profd-arena*' -exec stat -L -c '%i %b' {} + 2>/dev/null
        find "/proc/$process/fd" -lname '/memfd:profd-exit*' -exec stat -L -c '%i %b' {} + 2>/dev/null
    done | sort -n | awk '$1 != last { blocks += $2; last = $1 } END { print blocks * 512 + 0 }'
    kill -CONT "${running[@]}"
}

stays_below_limit() {
    local bytes
    bytes=$(arena_bytes)
    [ "$bytes" -le $limit_bytes ] || fail "$bytes bytes are more than the limit of $limit_bytes"
    [ "$bytes" -gt "$most" ] && most=$bytes
    return 0
}

# How far thread 0 of the writer with FILE is.
count_in() {
    od -An -tu8 -N8 "$1" | tr -d ' '
}

counts_past() {
    [ -s "$1" ] && [ "$(count_in "$1")" -gt "$2" ]
}

status_number() {
    "$profctl" --json status | grep -oE "\"$1\": ?[0-9]+" | head -n1 | grep -oE '[0-9]+$'
}

# start_writers N: N writers of two threads that write as fast as they can.
start_writers() {
    local i
    for i in $(seq "$1"); do
        echo "'$programs/writer' '$scratch/w$i' 2 &"
    done >all.sh
    echo 'wait' >>all.sh
    start_profd --memory-limit 8M -- sh all.sh
    expect 0 "$profctl" start --memory-limit 8M
    for i in $(seq "$1"); do
        wait_until counts_past "w$i" 200000
    done
    mapfile -t writers < <(pgrep -f "^$programs/writer $scratch")
    children+=("${writers[@]}")
}

test_the_limit_holds_under_full_load() {
    local most=0 i
    start_writers 4
    for i in $(seq 40); do
        stays_below_limit
    done
    # It is used, too.
    [ "$most" -gt $((limit_bytes / 2)) ]
    [ "$(status_number kernel_bytes)" -le $limit_bytes ]
    [ "$(status_number leased_bytes)" -le $limit_bytes ]
}

# The wait is what is tested: nobody is there to tell anybody to free anything.
test_the_limit_holds_while_profd_is_stopped() {
    local most=0 end late
    start_writers 3
    kill -STOP "$daemon"
    mapfile -d '' -t environment <"/proc/${writers[0]}/environ"
    in_background env -i "${environment[@]}" "$programs/writer" "$scratch/late" 1 1000
    late=$background
    end=$((SECONDS + 10))
    while [ $SECONDS -lt $end ]; do
        stays_below_limit
    done
    is_running "$late"
    kill -CONT "$daemon"
    wait_until counts_past late 10
    expect 0 "$profctl" capture -o out.json
    stays_below_limit
    read_facts out.json
    [ "$(process_count writer)" -eq 4 ]
}

test_a_lowered_limit_is_reached() {
    start_writers 2
    limit_bytes=$((4 * 1024 * 1024))
    expect 0 "$profctl" stop
    expect 0 "$profctl" start --memory-limit 4M
    local most=0 i
    wait_until is_below_limit
    for i in $(seq 20); do
        stays_below_limit
    done
}

is_below_limit() {
    [ "$(arena_bytes)" -le $limit_bytes ]
}

# What a child had while it was busy goes to another one that needs it.
test_leases_move_to_who_is_busy() {
    start_writers 1
    mapfile -d '' -t environment <"/proc/${writers[0]}/environ"
    kill -USR1 "${writers[0]}"
    in_background env -i "${environment[@]}" "$programs/writer" "$scratch/other" 2
    wait_until other_has_most
}

# lease_of PID: in bytes.
lease_of() {
    "$profctl" --json status | grep -oE "\"pid\": ?$1,.*" | grep -oE '"lease_bytes": ?[0-9]+' |
        head -n1 | grep -oE '[0-9]+$'
}

other_has_most() {
    [ "$(lease_of "$background")" -gt $((limit_bytes / 2)) ]
}

test_all_of_many_short_processes_are_listed() {
    local expired dropped lost
    cat >many.sh <<'END'
i=0
while [ $i -lt 1500 ]; do
    numbered n 1
    i=$((i + 1))
done
touch done
sleep 100
END
    PATH=$programs:$PATH start_profd --memory-limit 4M -- sh -c "until [ -e go ]; do sleep 0.01; done; . ./many.sh"
    expect 0 "$profctl" start --memory-limit 4M
    touch go
    wait_until test -e done
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    [ "$(process_count numbered)" -eq 1500 ]
    [ "$(status_number kernel_bytes)" -le $((4 * 1024 * 1024)) ]
    [ "$(status_number expired)" -gt 0 ]
    says 'dropped to stay within the memory limit' stderr
    # What they had recorded still stands in the sums.
    awk -F'\t' '
        $1 != "meta" { next }
        $3 == "profd.reason" && $4 ~ /dropped to stay within the memory limit/ { expired[$2] = 1 }
        $3 ~ /^profd\.(produced|dropped|lost)Blocks$/ { blocks[$3] += $4; of[$2, $3] = $4 }
        END {
            for (pid in expired) sum += of[pid, "profd.producedBlocks"]
            print sum + 0, blocks["profd.droppedBlocks"] + 0, blocks["profd.lostBlocks"] + 0
        }' facts >account
    read -r expired dropped lost <account
    [ "$expired" -gt 0 ] && [ "$dropped" -ge "$expired" ] && [ "$lost" -eq 0 ] || fail "$(cat account)"
    [ "$(status_number produced_blocks)" -ge "$expired" ]
    [ "$(status_number dropped_blocks)" -ge "$dropped" ]
}

test_the_smallest_limit_is_named() {
    expect 2 "$profd" --memory-limit 64K
    one_line stderr
    says 'at least 1M' stderr
    start_profd
    expect 2 "$profctl" start --memory-limit 64K
    one_line stderr
    says '1M' stderr
}

run_tests "$@"
