# Sourced by tests of what a program does not notice.
# shellcheck shell=bash disable=SC2154

# What has been run alone in this test, which once shows as much as with each clock.
declare -A was_alone=()

# unharmed CLOCK PROGRAM [ARGUMENT…]: it knows itself whether all was as it is alone, where it says so, too.
unharmed() {
    local clock=$1
    shift
    [ -n "${was_alone["$*"]-}" ] || expect 0 env PROFD_DISABLE=1 "$programs/$1" "${@:2}"
    was_alone["$*"]=1
    expect 0 "$profctl" --quiet run --clock "$clock" -o out.json -- "$programs/$1" "${@:2}"
    read_facts out.json
}
