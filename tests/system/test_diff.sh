#!/bin/bash
# profctl report --diff: what has changed from one profile to another.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# capture NAME ARGUMENT…: of two_speeds, whose functions use the CPU time that they are told.
capture() {
    local name=$1
    shift
    expect 0 "$profctl" run -o "$name.json.gz" --clock cpu -- "$programs/two_speeds" "$@"
}

# row FUNCTION: as it is printed in ./stdout.
row() {
    grep -E " $1 \(in two_speeds\)$" stdout || fail "there is no $1"
}

# first_function: the name in the first row.
first_function() {
    sed -n '/ function$/{n;s/.*  //p}' stdout
}

test_a_slower_function_is_found_and_the_others_are_not_blamed() {
    capture before 400
    capture after 2400
    expect 0 "$profctl" report --diff before.json.gz after.json.gz
    [ "$(first_function)" = "changed_part (in two_speeds)" ]
    row changed_part | grep -qE '\+[0-9.]+% \* .*\+[0-9.]+% \*'
    row steady_part | grep -qE '% ~ .*% ~'
    row main | grep -qE '\+[0-9.]+% \*'
    says 'exact, two-sided test' stdout
    # A faster one, too: the first argument is what was before.
    expect 0 "$profctl" report --diff after.json.gz before.json.gz
    row changed_part | grep -qE ' -[0-9.]+% \*'
}

test_two_runs_of_a_program_are_the_same() {
    capture before 500
    capture after 500
    for words in "" --shares; do
        # shellcheck disable=SC2086
        expect 0 "$profctl" report $words --top 1000 --diff before.json.gz after.json.gz
        row changed_part
        refute grep -E ' \* .*\(in ' stdout
    done
}

test_functions_of_one_run_are_shown_as_such() {
    capture before 500
    capture after 500 third
    expect 0 "$profctl" report --diff before.json.gz after.json.gz
    row third_part | grep -q ' new \* '
    expect 0 "$profctl" report --diff after.json.gz before.json.gz
    row third_part | grep -q ' gone \* '
}

test_json_has_the_same() {
    capture before 500
    capture after 1500
    expect 0 "$profctl" report --json --top 1 --diff before.json.gz after.json.gz
    one_line stdout
    grep -q '"functions":\[{"function":"changed_part","library":"two_speeds","in":"both","self":{"beforeMs":' stdout
    grep -q '"significant":true' stdout
    [ "$(grep -o '"function":' stdout | wc -l)" -eq 1 ]
}

test_wrong_words_are_refused() {
    capture before 100
    expect 1 "$profctl" report --diff missing.json before.json.gz
    one_line stderr
    says 'missing.json' stderr
    gzip -dc before.json.gz | head -c 5000 >cut.json
    expect 1 "$profctl" report --diff before.json.gz cut.json
    one_line stderr
    says 'cut.json' stderr
    expect 2 "$profctl" report --shares before.json.gz
    says '--diff' stderr
    expect 2 "$profctl" report --calls --diff before.json.gz before.json.gz
    says 'mutually exclusive' stderr
    gzip -dc before.json.gz | sed 's/threadCPUDelta/nobodyKnows/g' >unknown.json
    expect 1 "$profctl" report --diff before.json.gz unknown.json
    one_line stderr
    says '--all' stderr
    expect 0 "$profctl" report --all --diff before.json.gz unknown.json
}

run_tests "$@"
