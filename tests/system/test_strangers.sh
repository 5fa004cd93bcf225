#!/bin/bash
# What users can do to a profd that is not theirs, and broken programs to their own user's.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"


# flood USERS [half]: so many users open as many connections as they can, until the test ends.
flood() {
    local uid
    mkdir -m 777 floods
    for uid in $(seq 5001 $((5000 + $1))); do
        in_background setpriv --reuid "$uid" --regid "$uid" --clear-groups -- \
            "$programs/flood" 19000 "floods/$uid" "${2:-}"
    done
    for uid in $(seq 5001 $((5000 + $1))); do
        wait_until test -e "floods/$uid"
    done
}

descriptors_of_profd() {
    find "/proc/$daemon/fd" -mindepth 1 | wc -l
}

descriptor_limit() {
    awk '/^Max open files/ { print $4 }' "/proc/$daemon/limits"
}

# profctl and the owner's programs while that goes on.
owner_is_served() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        expect 0 "$profctl" status
    done
    expect 0 "$profctl" start
    for _ in 1 2 3 4 5; do
        in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" 60
    done
    programs_are_heard() {
        "$profctl" capture -o out.json && read_facts out.json && [ "$(process_count busy)" -eq 5 ] &&
            [ "$(samples_of busy GeckoMain)" -gt 5 ]
    }
    wait_until programs_are_heard
}

test_silent_connections_of_one_user() {
    need_root
    start_profd
    flood 1
    owner_is_served
}

test_silent_connections_of_many_users() {
    need_root
    start_profd
    flood 3
    owner_is_served
}

# A broken program of the owner's own: profd keeps the newest of its connections, and says so.
test_silent_connections_of_the_owner() {
    start_profd
    in_background "$programs/flood" 19000 flooded
    wait_until test -e flooded
    owner_is_served
    says 'closed the connection from [0-9]+, which sent nothing: too many are idle' profd.log
    # A quarter of the limit, and what profd has besides.
    [ "$(descriptors_of_profd)" -le $(($(descriptor_limit) / 4 + 200)) ] ||
        fail "profd has $(descriptors_of_profd) descriptors of $(descriptor_limit)"
}

test_connections_with_descriptors_and_no_whole_message() {
    need_root
    start_profd
    flood 2 half
    owner_is_served
}

# A supervised program that becomes another user is no stranger to be kept out, while others flood.
test_programs_of_other_users_are_heard() {
    need_root
    # shellcheck disable=SC2016
    start_profd -- bash -c 'until [ -e go ]; do sleep 0.02; done
        setpriv --reuid 6001 --regid 6001 --clear-groups -- "$0" 0.2; sleep 1000' "$programs/busy"
    expect 0 "$profctl" start
    flood 1
    touch go
    heard() {
        "$profctl" capture -o out.json && read_facts out.json && [ "$(samples_of busy GeckoMain)" -gt 5 ]
    }
    wait_until heard
}

run_tests "$@"
