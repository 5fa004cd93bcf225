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

# The manual's words, without its markup.
manual() {
    sed 's/\\f[BRI]//g; s/\\-/-/g' "$source_dir/docs/man/$1.1"
}

commands() {
    "$profctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

test_manual_has_every_command_and_option() {
    manual profctl >manual
    commands >commands
    [ "$(wc -l <commands)" -ge 11 ]
    while read -r command; do
        grep -qE "^\.(B|BR) .*\b$command\b" manual || fail "profctl(1) has no command $command"
        "$profctl" "$command" --help >help
        grep -oE -- '--[a-z]+(-[a-z]+)*' help | sort -u >options
        [ -s options ]
        while read -r option; do
            grep -qE -- "$option( |,|\"|\.|\)|:|$)" manual || fail "profctl(1) has no $option (of $command)"
        done <options
    done <commands
    manual profd >manual
    "$profd" --help | grep -oE -- '--[a-z]+(-[a-z]+)*' | sort -u >options
    while read -r option; do
        grep -qE -- "$option( |,|\"|\.|$)" manual || fail "profd(1) has no $option"
    done <options
}

# Those that are details of others say so.
test_manual_has_every_header() {
    local header
    manual profd >manual
    for header in "$source_dir"/child-agent/include/profd*; do
        head -n 1 "$header" | grep -q 'a detail of\|Details of' && continue
        [ "${header##*/}" != profd.h ] || continue
        grep -q "${header##*/}" manual || fail "profd(1) has no ${header##*/}"
    done
    grep -q PROFD_DISABLED manual
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

test_manual_has_every_feature_and_variable() {
    LD_PRELOAD=$build/lib/libprofd.so PROFD_HELP=1 /bin/true >help
    manual profd >manual
    sed -n 's/^  \(PROFD_[A-Z_]*\)=.*/\1/p' help >variables
    [ "$(wc -l <variables)" -ge 10 ]
    while read -r variable; do
        grep -qE "\b$variable\b" manual || fail "profd(1) has no $variable"
    done <variables
    manual profctl >manual
    sed -n 's/^ \{36\}\([a-z]*\) .*/\1/p' help >features
    [ "$(wc -l <features)" -ge 13 ]
    while read -r feature; do
        grep -qE "\b$feature\b" manual || fail "profctl(1) has no feature $feature"
    done <features
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
