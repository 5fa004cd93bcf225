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

commands() {
    "$profctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# "COMMAND LETTER NAME VALUE" of all options that have a letter, as help lists them.
letters() {
    local command
    for command in $(commands); do
        "$profctl" "$command" --help |
            sed -n "s/^  -\(.\), --\([a-z-]*\) \([A-Z]*\) .*/$command \1 \2 \3/p"
    done
}

test_a_letter_means_one_thing_everywhere() {
    letters >letters
    [ "$(cut -d' ' -f1 letters | sort -u | wc -l)" -ge 11 ]
    [ -z "$(cut -d' ' -f1,2 letters | sort | uniq -d)" ] ||
        fail "letters that stand for two options: $(cut -d' ' -f1,2 letters | sort | uniq -d | xargs)"
    cut -d' ' -f2,3 letters | sort -u >meanings
    [ -z "$(cut -d' ' -f1 meanings | uniq -d)" ] ||
        fail "letters with several meanings: $(cut -d' ' -f1 meanings | uniq -d | xargs)"
    while read -r command letter name value; do
        if [ -n "$value" ]; then
            expect 2 "$profctl" "$command" "-$letter"
            says "^profctl: --$name needs a value" stderr
        else # known, so that the next one is complained about
            expect 2 "$profctl" "$command" "-$letter" --no-such-option
            says '^profctl: unknown option --no-such-option' stderr
        fi
    done <letters
}

test_version() {
    local program
    for program in profctl profd; do
        expect 0 "$build/bin/$program" --version
        head -n 1 stdout | grep -qE "^$program [0-9]+\.[0-9]+\.[0-9]+(-dev)?$" || fail "no version: $(cat stdout)"
        for fact in 'commit: +([0-9a-f]{12}( and changes)?|unknown)$' 'compiler: ' 'protocol: [0-9]+\.[0-9]+, arena [0-9]+, ledger' \
            'features: stacks '; do
            says "^$fact" stdout
        done
    done
}

test_typing_mistakes_get_a_hint() {
    expect 2 "$profctl" captrue
    says capture stderr
}

run_tests "$@"
