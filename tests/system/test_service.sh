#!/bin/bash
# profd as a service: its units, the socket that it is given, what it tells its manager, and who may control it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

units=$source_dir/packaging/systemd
control_group=6500
service_user=6501 # profd's
member=6502       # in the group
stranger=6503

need() {
    command -v "$1" >/dev/null || skip "needs $1"
}

# become USER GROUP: the words before a command that run it so, in $as.
become() {
    as=(setpriv --reuid "$1" --regid "$1" --groups "$2" --)
}

told() {
    grep -qx -- "$1" told
}

# start_manager: what services tell it comes into ./told.
start_manager() {
    in_background "$programs/notified" "$scratch/notify" told
    wait_until test -S "$scratch/notify"
    export NOTIFY_SOCKET=$scratch/notify
}

test_units_are_sandboxed() {
    local unit
    need systemd-analyze
    for unit in "$units"/*.service; do
        systemd-analyze security --offline=true --threshold=20 --no-pager "$unit" >exposure ||
            fail "$unit is exposed: $(tail -n 1 exposure)"
        grep -qE 'Overall exposure level for .*: [0-9]' exposure
    done
    [ "$(sed -n 's/^CapabilityBoundingSet=//p' "$units/profd.service")" = CAP_PERFMON ]
}

# Where captures of --always --trigger go.
test_service_has_a_folder_to_write_into() {
    local unit=$units/profd.service
    [ "$(sed -n 's/^WorkingDirectory=//p' "$unit")" = "%S/$(sed -n 's/^StateDirectory=//p' "$unit")" ]
}

# Units name options, folders and users that there are.
test_units_say_what_profd_understands() {
    local option
    need systemd-analyze
    "$profd" --help >help
    for option in $(grep -ohE -- '--[a-z-]+' <(sed -n 's/^ExecStart=//p' "$units"/*.service)); do
        grep -q -- "^  $option " help || fail "a unit has the option $option"
    done
    mkdir units
    cp "$units"/*.service "$units"/*.socket units
    sed -i "s|/usr/bin/profd|$profd|; /^Documentation=/d" units/*.service units/*.socket
    systemd-analyze verify --man=no units/profd.service units/profd.socket >stdout 2>stderr ||
        fail "systemd-analyze verify does not take the units"
    refute grep -E 'units/profd.*(Unknown|Invalid|Failed to parse)' stderr
}

test_user_and_folder_are_made() {
    need systemd-sysusers
    need systemd-tmpfiles
    need_root
    mkdir -p root/etc
    systemd-sysusers --root="$scratch/root" "$units/profd.sysusers" >stdout 2>stderr
    grep -q '^profd:' root/etc/passwd
    grep -q '^profd:' root/etc/group
    systemd-tmpfiles --root="$scratch/root" --create "$units/profd.tmpfiles" >stdout 2>stderr
    [ "$(stat -c %a root/run/profd)" = 755 ]
}

test_manager_is_told() {
    start_manager
    WATCHDOG_USEC=100000 start_profd --log-level warn
    wait_until told READY=1
    wait_until told 'STATUS=The session is idle; 0 processes'
    wait_until told WATCHDOG=1
    expect 0 "$profctl" start
    wait_until told 'STATUS=The session is active; 0 processes'
    kill "$daemon"
    wait "$daemon"
    wait_until told STOPPING=1
    [ "$(tail -n 1 told)" = STOPPING=1 ]
    [ ! -s profd.log ]
}

test_nobody_is_told_when_profd_cannot_serve() {
    start_manager
    expect 1 "$profd" --socket "$scratch/missing/profd.sock"
    one_line stderr
    refute told READY=1
}

test_profd_of_one_command_tells_nobody() {
    start_manager
    expect 0 "$profctl" run -o out.json -- true
    refute test -s told
}

# Where standard error is the journal's, lines go there with fields. (The journal's socket is hidden by one of the test's,
# for profd alone.)
test_journal_gets_lines_with_fields() {
    need_root
    unshare --mount true 2>/dev/null || skip "cannot make a mount namespace"
    mkdir journal
    in_background "$programs/notified" "$scratch/journal/socket" journal.log
    wait_until test -S journal/socket
    : >profd.log
    JOURNAL_STREAM=$(stat -c %d:%i profd.log)
    export JOURNAL_STREAM scratch
    # shellcheck disable=SC2016
    in_background unshare --mount sh -c 'mount -t tmpfs none /run && mkdir -p /run/systemd/journal &&
        mount --bind "$scratch/journal" /run/systemd/journal && exec "$@"' sh \
        "$profd" --socket "$PROFD_SOCKET" --log-level debug 2>>profd.log
    daemon=$background
    wait_until "$profctl" status
    in_background env LD_PRELOAD="$build/lib/libprofd.so" "$programs/busy" 60
    wait_until grep -qx "PROFD_PROCESS=$background" journal.log
    grep -qx "MESSAGE=listening at $PROFD_SOCKET" journal.log
    grep -qx PRIORITY=6 journal.log
    grep -qx SYSLOG_IDENTIFIER=profd journal.log
    [ ! -s profd.log ]
}

# … and as text where it is another file that is named like that, or where there is no journal.
test_text_where_standard_error_is_no_journal() {
    JOURNAL_STREAM=1:1 start_profd
    says "^profd: listening at $PROFD_SOCKET" profd.log
}

# activate [ARGUMENT…]: a socket that waits for somebody; profd starts then.
activate() {
    need systemd-socket-activate
    in_background systemd-socket-activate --listen "$PROFD_SOCKET" -E NOTIFY_SOCKET="${NOTIFY_SOCKET-}" \
        -E PATH="$PATH" "$profd" "$@" 2>profd.log
    daemon=$background
    wait_until test -S "$PROFD_SOCKET"
}

test_socket_activation() {
    start_manager
    activate
    refute told READY=1
    LD_PRELOAD=$build/lib/libprofd.so in_background "$programs/busy" 60 # its agent waits for profd
    expect 0 "$profctl" start
    wait_until told READY=1
    says "listening at $PROFD_SOCKET" profd.log
    sampled() { "$profctl" capture -o out.json && read_facts out.json && [ "$(samples_of busy GeckoMain)" -gt 5 ]; }
    wait_until sampled
    kill "$daemon"
    wait "$daemon"
    [ -S "$PROFD_SOCKET" ] || fail "the manager's socket is gone"
    [ ! -e "$PROFD_SOCKET.lock" ] && [ ! -e "$PROFD_SOCKET.leases" ]
}

test_another_socket_than_the_one_given_is_refused() {
    activate --socket "$scratch/other.sock"
    expect 3 "$profctl" status
    wait_until grep -q "differs from the socket that the service manager passed" profd.log
    wait_until has_ended "$daemon"
}

test_a_socket_that_is_no_profds_is_refused() {
    local status=0
    need systemd-socket-activate
    in_background systemd-socket-activate --datagram --listen "$scratch/datagrams" "$profd" 2>profd.log
    wait_until test -S "$scratch/datagrams"
    # Anything that arrives wakes it.
    NOTIFY_SOCKET=$scratch/datagrams systemd-notify WAKE=1 || true
    wait "$background" || status=$?
    [ "$status" -eq 1 ]
    says 'not a Unix socket that listens' profd.log
}

# start_service [ARGUMENT…]: profd as a user of its own, where everybody finds its socket.
start_service() {
    mkdir -m 755 run
    chown $service_user run
    export PROFD_SOCKET=$scratch/run/profd.sock
    become $service_user $service_user
    in_background "${as[@]}" "$profd" --socket "$PROFD_SOCKET" "$@" 2>profd.log
    daemon=$background
    wait_until "$profctl" status
}

test_group_decides_who_may_control() {
    need_root
    start_service --control-group $control_group
    become $member $control_group
    expect 0 "${as[@]}" "$profctl" start
    expect 0 "${as[@]}" "$profctl" status
    mkdir captures
    chown $member captures
    expect 0 "${as[@]}" "$profctl" capture -o captures/out.json
    [ "$(stat -c %u captures/out.json)" -eq $member ]
    become $stranger $stranger
    expect 3 "${as[@]}" "$profctl" status
    says 'may control it' stderr
    one_line stderr
}

test_without_a_group_only_the_owner_controls() {
    need_root
    start_service
    expect 0 "$profctl" status
    become $service_user $service_user
    expect 0 "${as[@]}" "$profctl" status
    become $member $control_group
    expect 3 "${as[@]}" "$profctl" status
}

test_unknown_group() {
    expect 1 "$profd" --socket "$PROFD_SOCKET" --control-group no-such-group
    one_line stderr
    says 'no such group' stderr
}

# A service of systemd is no child of profd, and whoever it runs as is another user.
test_services_of_all_users_are_profiled() {
    local user
    need_root
    start_service --agents all
    expect 0 "$profctl" start
    for user in 0 $stranger $service_user; do
        in_background env LD_PRELOAD="$build/lib/libprofd.so" \
            setpriv --reuid $user --regid $user --clear-groups -- "$programs/busy" 60
    done
    sampled() { "$profctl" capture -o out.json && read_facts out.json && [ "$(busy_processes)" -eq 3 ]; }
    # Those with samples.
    busy_processes() {
        awk -F'\t' '$1 == "process" && $3 == "busy" { pids[$2] = 1 }
            $1 == "thread" && ($2 in pids) && $4 > 5 { seen[$2] = 1 }
            END { print length(seen) }' facts
    }
    wait_until sampled
    refute grep 'cannot record' profd.log
}

# They stand in the environment of another user's process, which profd cannot read.
test_labels_of_services_are_told() {
    need_root
    start_service --agents all
    expect 0 "$profctl" start
    PROFD_LABELS=service=web,zone=a in_background env LD_PRELOAD="$build/lib/libprofd.so" \
        setpriv --reuid $stranger --regid $stranger --clear-groups -- "$programs/busy" 60
    become $service_user $service_user
    chmod 777 .
    told_labels() {
        "${as[@]}" "$profctl" capture -o out.json && read_facts out.json &&
            [ "$(meta_of busy profd.labels)" = service=web,zone=a ]
    }
    wait_until told_labels
    "${as[@]}" "$profctl" capture -o out.profd
    "${as[@]}" "$profctl" convert out.profd -o raw.json.gz
    read_facts raw.json.gz
    [ "$(meta_of busy profd.labels)" = service=web,zone=a ]
}

test_services_of_others_are_refused_otherwise() {
    need_root
    start_service
    in_background env LD_PRELOAD="$build/lib/libprofd.so" \
        setpriv --reuid $stranger --regid $stranger --clear-groups -- "$programs/busy" 60
    wait_until grep -q "of user $stranger: not started by profd" profd.log
}

run_tests "$@"
