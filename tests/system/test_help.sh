#!/bin/bash
# What the programs say of themselves.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

test_help_names_every_command() {
    expect 0 "$profctl" --help
    for command in start stop pause resume status capture run report symbolicate; do
        says "\\b$command\\b" stdout
    done
    expect 0 "$profd" --help
    says '--socket' stdout
}

test_version() {
    expect 0 "$profctl" --version
    one_line stdout
    expect 0 "$profd" --version
    one_line stdout
}

test_typing_mistakes_get_a_hint() {
    expect 2 "$profctl" captrue
    says capture stderr
}

run_tests "$@"
