#!/bin/bash
# profd --config: several programs, started again as they want it, stopped as they want it.
# shellcheck source=lib.sh disable=SC2016,SC1010
. "$(dirname "$0")/lib.sh"

# write_config TEXT: as config.json, with @ for the folder of the test programs.
write_config() {
    printf '%s\n' "${1//@/$programs}" >config.json
}

lines_in() {
    [ -f "$1" ] && wc -l <"$1"
}

has_lines() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

test_programs_run_with_their_environment_and_folder() {
    mkdir folder
    write_config '{ "programs": [
        { "name": "one", "command": ["sh", "-c", "echo $COLOUR $(pwd) >out; sleep 100"],
          "environment": { "COLOUR": "green" }, "directory": "folder" },
        { "name": "two", "command": ["@/busy", "60", "pid"] } ] }'
    start_profd --config config.json
    wait_until has_lines folder/out 1
    [ "$(cat folder/out)" = "green $scratch/folder" ]
    wait_until test -s pid
    expect 0 "$profctl" start
    expect 0 "$profctl" capture -o out.json
    read_facts out.json
    has_process busy
    kill -TERM "$daemon"
    wait "$daemon"
    wait_until has_ended "$(cat pid)"
}

test_restart_policies() {
    write_config '{ "programs": [
        { "name": "never", "command": ["sh", "-c", "echo >>never; exit 1"] },
        { "name": "fails", "command": ["sh", "-c", "echo >>fails; kill -SEGV $$"], "restart": "on-failure" },
        { "name": "succeeds", "command": ["sh", "-c", "echo >>succeeds"], "restart": "on-failure" },
        { "name": "always", "command": ["sh", "-c", "echo >>always"], "restart": "always" } ] }'
    start_profd --config config.json
    wait_until has_lines always 3
    wait_until has_lines fails 3
    [ "$(lines_in never)" -eq 1 ]
    [ "$(lines_in succeeds)" -eq 1 ]
    says "'never' has finished" profd.log
    says "restarting 'fails' in 200 ms" profd.log
}

test_a_program_that_can_not_be_run_is_tried_again() {
    write_config '{ "programs": [
        { "name": "late", "command": ["./late"], "restart": "on-failure" } ] }'
    start_profd --config config.json
    wait_until grep -q "cannot run 'late'" profd.log
    printf '#!/bin/sh\necho >done\n' >late.new
    chmod +x late.new
    mv late.new late
    wait_until test -e done
}

test_stop_signal_and_timeout() {
    write_config '{ "programs": [
        { "name": "polite", "command": ["sh", "-c", "trap \"echo >>stopped; exit\" USR2; echo >ready; while :; do sleep 0.05; done"],
          "stop_signal": "SIGUSR2", "restart": "always" },
        { "name": "deaf", "command": ["sh", "-c", "trap \"\" TERM; echo $$ >deaf; while :; do sleep 0.05; done"],
          "stop_timeout_ms": 300 } ] }'
    start_profd --config config.json
    wait_until test -s ready
    wait_until test -s deaf
    kill -TERM "$daemon"
    wait "$daemon"
    [ "$(lines_in stopped)" -eq 1 ]
    says "'deaf' .*; killing it" profd.log
    wait_until has_ended "$(cat deaf)"
}

# A profd that takes the place of a killed one starts nothing twice.
test_programs_are_adopted_after_a_kill() {
    write_config '{ "programs": [
        { "name": "server", "command": ["sh", "-c", "echo $$ >>server; exec sleep 100"], "restart": "always" },
        { "name": "job", "command": ["sh", "-c", "echo >>job"] } ] }'
    start_profd --config config.json
    wait_until has_lines server 1
    wait_until grep -q "'job' has finished" profd.log
    kill_profd
    start_profd --config config.json
    says "'server' still runs as $(cat server)" profd.log
    [ "$(lines_in job)" -eq 1 ]
    # It is started again when it ends, and stopped at the end.
    kill -KILL "$(cat server)"
    wait_until has_lines server 2
    kill -TERM "$daemon"
    wait "$daemon"
    wait_until has_ended "$(tail -n1 server)"
    [ "$(lines_in job)" -eq 1 ]
    refute compgen -G "$PROFD_SOCKET.*"
}

test_an_adopted_program_is_stopped_at_the_end() {
    write_config '{ "programs": [
        { "name": "server", "command": ["sh", "-c", "echo $$ >server; exec sleep 100"] } ] }'
    start_profd --config config.json
    wait_until test -s server
    kill_profd
    start_profd --config config.json
    kill -TERM "$daemon"
    wait "$daemon"
    wait_until has_ended "$(cat server)"
}

test_a_mistake_is_one_line_with_line_and_key() {
    write_config '{ "programs": [
        { "name": "a", "command": ["true"] },
        { "name": "b", "command": ["true"], "restart": "sometimes" } ] }'
    expect 1 "$profd" --socket "$PROFD_SOCKET" --config config.json
    one_line stderr
    says '^profd: config.json:3: programs\[1\].restart: ' stderr
    refute test -e "$PROFD_SOCKET"
}

test_a_config_and_a_command_exclude_one_another() {
    expect 2 "$profd" --socket "$PROFD_SOCKET" --config x -- true
    one_line stderr
}

test_a_program_elsewhere_finds_a_socket_that_is_named_from_here() {
    mkdir elsewhere
    cat >config.json <<END
{ "programs": [ { "name": "one", "command": ["sleep", "1000"], "directory": "$scratch/elsewhere" } ] }
END
    in_background "$profd" --socket profd.sock --config config.json >profd.out 2>profd.log
    wait_until is_connected sleep
}

is_connected() {
    "$profctl" status | grep -q "connected.*$1"
}

run_tests "$@"
