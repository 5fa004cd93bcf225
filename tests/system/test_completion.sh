#!/bin/bash
# What shells complete of the command lines of profctl and profd.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

completions=$build/completions

# complete_words WORD…: what bash offers for the last of them, a line each.
complete_words() {
    bash -c '
        . "$1/bash/$2"
        function=$(complete -p "$2" | sed "s/.*-F \([^ ]*\).*/\1/")
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        "$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completions" "$@" 2>/dev/null | sort
}

# offers "WORD…" EXPECTED…: of words with blanks between; the last may be empty.
offers() {
    local words
    IFS=' ' read -r -a words <<<"$1"
    [[ $1 != *' ' ]] || words+=('')
    shift
    diff <(complete_words "${words[@]}") <(printf '%s\n' "$@" | sort) >difference ||
        fail "'${words[*]}' offers: $(complete_words "${words[@]}" | xargs), not: $*"
}

commands() {
    "$profctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

options_in_help() {
    sed -n '/^Options:/,$p' | sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\) .*/\1 \2/p' | tr -d ',' | tr -s ' ' '\n' |
        grep . | sort
}

test_bash_knows_every_command_and_option() {
    local command
    mapfile -t all < <(commands)
    [ ${#all[@]} -ge 15 ]
    offers 'profctl ' "${all[@]}"
    offers 'profctl --json --socket /run/x ' "${all[@]}"
    for command in "${all[@]}"; do
        mapfile -t expected < <("$profctl" "$command" --help | options_in_help)
        offers "profctl $command -" "${expected[@]}"
    done
    mapfile -t expected < <("$profd" --help | grep -oE '^  --.*' | grep -oE -- '--[a-z-]+' | grep . | sort -u)
    offers 'profd -' "${expected[@]}"
}

test_bash_knows_values() {
    offers 'profctl start --clock ' auto cpu perf wall
    offers 'profctl run -c p' perf
    offers 'profctl run --clock = w' wall
    offers 'profctl start --features stacks,mar' stacks,markers
    offers 'profctl start --trigger m' marker:
    offers 'profctl groups --sort j' jank
    offers 'profctl convert --format sp' speedscope
    offers 'profd --log-level d' debug
    offers 'profd --agents ' all own
    offers 'profctl start --interval ' ''
}

test_bash_knows_files_and_other_commands() {
    touch capture.json.gz other.txt
    offers 'profctl report cap' capture.json.gz
    offers 'profctl report --diff oth' other.txt
    offers 'profctl merge -o x capture.json.gz o' other.txt
    offers 'profctl stop ' ''
    complete_words profctl run -- tru | grep -qx true
    complete_words profd -- tru | grep -qx true
    # What follows belongs to that command.
    offers 'profctl run -- cat --' ''
}

test_values_that_are_offered_are_taken() {
    local clock
    for clock in $(complete_words profctl run --clock ''); do
        [ "$clock" = perf ] || expect 0 "$profctl" run --clock "$clock" -o out.json -- true
    done
    local format
    expect 0 "$profctl" run -o out.json -- "$programs/busy" 0.1
    for format in $(complete_words profctl convert --format ''); do
        expect 0 "$profctl" convert --format "$format" -o converted out.json
    done
    local level
    for level in $(complete_words profd --log-level ''); do
        expect 0 "$profd" --log-level "$level" -- true
    done
}

test_zsh_takes_its_completions() {
    command -v zsh >/dev/null || skip "needs zsh"
    for program in profctl profd; do
        zsh -n "$completions/zsh/$program" 2>stderr || fail "$program: $(cat stderr)"
        head -n 1 "$completions/zsh/$program" | grep -qx "#compdef $program"
    done
}

test_fish_offers_the_same() {
    command -v fish >/dev/null || skip "needs fish"
    export HOME=$scratch
    offered() {
        fish --no-config -c "source '$completions/fish/$1'; complete -C '$2'" | cut -f1 | sort
    }
    diff <(offered profctl 'profctl ') <(commands | sort)
    diff <(offered profctl 'profctl start --clock ') <(printf '%s\n' auto cpu perf wall)
    offered profctl 'profctl start --features stacks,mar' | grep -qx stacks,markers
    offered profctl 'profctl capture --s' | grep -qx -- --stop
    diff <(offered profd 'profd --agents ') <(printf '%s\n' all own)
}

run_tests "$@"
