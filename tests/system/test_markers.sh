#!/bin/bash
# What programs say with typed markers: payloads, options, stacks, flows, and what is no good.
. "$(dirname "$0")/lib.sh"

# values_of PROCESS MARKER KEY: of the payloads of all markers called so.
values_of() {
    awk -F'\t' -v process="$1" -v marker="$2" -v key="$3" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "value" && ($2 in pids) && $4 == marker && $6 == key { print $7 }' facts
}

# value_is PROCESS MARKER KEY VALUE
value_is() {
    [ "$(values_of "$1" "$2" "$3")" = "$4" ] ||
        fail "$3 of $2 is '$(values_of "$1" "$2" "$3")' instead of '$4'"
}

# callers_of PROCESS MARKER: the functions of its stack, innermost first.
callers_of() {
    awk -F'\t' -v process="$1" -v marker="$2" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 == "caller" && ($2 in pids) && $4 == marker { sub(/ \(in .*/, "", $5); print $5 }' facts
}

capture_markers() {
    expect 0 "$profctl" run -o out.json "$@" -- "$programs/markers"
    read_facts out.json
}

test_values_have_the_names_and_units_of_their_fields() {
    capture_markers
    value_is markers good string red
    value_is markers good sanitized 'two "three"'
    value_is markers good unique few
    value_is markers good last 0000000000000abc
    value_is markers good bits 255
    value_is markers good decimal 1.5
    value_is markers good share 0.25
    value_is markers good took 1.5
    value_is markers good milliseconds 1
    value_is markers good process 4711
    value_is markers 'stack earlier' url /earlier
    value_is markers 'stack earlier' status 200
    # The time is that of the interval's start.
    [ "$(values_of markers good when | awk '{ printf "%.6f\n", $1 }')" = \
        "$(awk -F'\t' '$1 == "marker" && $4 == "good" { print $5 }' facts)" ] ||
        fail "when is $(values_of markers good when): $(grep good facts)"
}

test_schemas_tell_viewers_what_fields_are() {
    capture_markers
    grep -q $'^field\t.*\trequest\turl\turl$' facts
    grep -q $'^field\t.*\trequest\tflow\tflow-id$' facts
    grep -q $'^field\t.*\tevery\tlast\tterminating-flow-id$' facts
    grep -q 'marker.data.status}: {marker.data.url' out.json
}

test_phases_and_times_are_those_of_the_options() {
    capture_markers
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "span" { print $7 }' facts | xargs)" = "2 3" ]
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "good" { print $7, ($6 > $5) }' facts)" = "1 1" ]
    # An instant in the past is at the same time as what began then.
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "stack earlier" { print $5 }' facts)" = \
        "$(awk -F'\t' '$1 == "marker" && $4 == "good" { print $5 }' facts)" ]
}

test_marker_can_belong_to_another_thread() {
    capture_markers
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "for the main thread" { print $3 }' facts)" = GeckoMain ]
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "of the other" { print $3 }' facts)" = other ]
    # The parent's thread is nobody in a forked child.
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "in the child" { print $3 }' facts)" = GeckoMain ]
}

test_stacks_are_those_of_the_capture_with_labels_and_without_profiler() {
    local options
    for options in '--interval 1ms' '--features markers,labels'; do
        # shellcheck disable=SC2086
        capture_markers $options
        callers_of markers 'stack now' >callers
        [ "$(sed -n 1,4p callers | xargs)" = "profd_marker_open_ profd_record_request label in a stack mark_with_stack" ] ||
            fail "the stack is: $(xargs <callers)"
        grep -qx main callers
        [ "$(callers_of markers 'stack earlier' | head -n 3 | xargs)" = "capture_inline capture_here main" ]
        callers_of 'marking child' 'in the child' | grep -qx main
    done
}

test_flows_tie_processes_together() {
    capture_markers
    value_is 'marking child' 'in the child' flow 000000000000004d
    value_is markers 'stack earlier' flow 000000000000004d
    # An object's flow is the same in two threads.
    value_is markers 'of the other' flow "$(values_of markers 'stack now' flow)"
}

test_what_is_no_good_is_left_out_and_counted() {
    capture_markers
    [ -z "$(values_of markers bad decimal)$(values_of markers bad share)$(values_of markers bad sanitized)" ]
    grep -q $'\tbad\tevery\tstring\t.*not UTF-8' facts
    [ "$(meta_of markers profd.badMarkerValues)" -eq 4 ]
    [ "$(meta_of markers profd.events.marker-turned)" -eq 1 ]
    [ "$(meta_of markers profd.unmatchedMarkerEnds)" -eq 1 ]
    [ "$(meta_of markers profd.events.text-cut)" -eq 1 ]
    [ "$(values_of markers long url | wc -c)" -eq $((16 * 1024 + 1)) ]
    [ "$(meta_of markers profd.badBlocks)" -eq 0 ]
}

# mistake COMPILER STATEMENT: a program with it compiles with neither warnings nor a payload's type.
declarations='#include <profd.h>
#define FIELDS(FIELD) FIELD(STRING, text, "Text") FIELD(INTEGER, number, "Number") FIELD(FLOW_ID, flow, "Flow")
PROFD_MARKER_TYPE(sound, FIELDS, .colour_field = PROFD_KEY(sound, text));
struct profd_flow flow; const char *text; long number; double real; void *pointer;
'
compiles() {
    printf '%s%s\nint main(void) { %s return 0; }\n' "$declarations" "$2" "$3" >program.source
    # shellcheck disable=SC2086
    $1 -I"$source_dir/child-agent/include" -c program.source -o program.o 2>compiler.log
}
record='PROFD_MARKER_TYPED(sound, "name", PROFD_CATEGORY_OTHER, profd_instant(),'

test_mistakes_in_payloads_are_errors_of_the_compiler() {
    local compiler statement declaration
    for compiler in 'cc -x c -std=c99' 'cc -x c -std=gnu17' 'c++ -x c++ -std=c++11' 'c++ -x c++ -std=c++20'; do
        command -v "${compiler%% *}" >/dev/null || continue
        compiles "$compiler -Wall -Wextra -Werror" '' "$record text, number, flow);" ||
            fail "$compiler does not take what is good: $(cat compiler.log)"
        for statement in "$record text, number);" "$record text, number, flow, 1);" \
            "$record number, number, flow);" "$record text, text, flow);" "$record text, real, flow);" \
            "$record text, 1.5, flow);" "$record text, number, number);" "$record text, pointer, flow);" \
            'PROFD_MARKER_TYPED(unsound, "name", PROFD_CATEGORY_OTHER, profd_instant());' \
            'PROFD_MARKER_TYPED(sound, text, PROFD_CATEGORY_OTHER, profd_instant(), text, number, flow);'; do
            [ "${compiler%% *}" = cc ] || [[ $statement != *'(sound, text,'* ]] || continue
            refute compiles "$compiler" '' "$statement"
        done
        for declaration in '#define TWICE(F) F(STRING, a, "") F(STRING, a, "")
PROFD_MARKER_TYPE(twice, TWICE);' '#define TAKEN(F) F(STRING, type, "")
PROFD_MARKER_TYPE(taken, TAKEN);' '#define WRONG(F) F(COLOUR, a, "")
PROFD_MARKER_TYPE(wrong, WRONG);' '#define FEW(F) F(STRING, a, "")
PROFD_MARKER_TYPE(few, FEW, .colour_field = PROFD_KEY(few, b));' '#define NONE(F)
PROFD_MARKER_TYPE(none, NONE, .chart_lable = "x");'; do
            refute compiles "$compiler" "$declaration" ''
        done
    done
}

# Programs whose compiler has to see what labels refer to: in C when it optimises, in C++ always.
labels_compile() { # COMPILER FURTHER_ARGUMENTS
    compiles "$1 -Wall -Wextra -Wpedantic -Werror" \
        "#define ALL(F) F(STRING, text, \"\") F(INTEGER, number, NULL) F(UNIQUE_STRING, unique, NULL)
PROFD_MARKER_TYPE(all, ALL, $2);" ''
}

test_labels_that_name_no_field_are_errors_of_the_compiler() {
    local compiler display
    local -a compilers=('cc -x c -std=c11 -O1' 'cc -x c -std=gnu17 -Og' 'cc -x c -std=c11 -O2 -fsanitize=undefined')
    ! command -v c++ >/dev/null || compilers+=('c++ -x c++ -std=c++11 -O0' 'c++ -x c++ -std=c++20 -O2')
    for compiler in "${compilers[@]}"; do
        for display in '.chart_label = "{marker.data.text} of { marker.data.number }, {marker.name}"' '.places = 1' \
            '.table_label = "{marker.data.number ? '"'yes' : 'no'"'}", .tooltip_label = "{} open {"' \
            '.chart_label = NULL, .tooltip_label = "", .colour_field = PROFD_KEY(all, text)' \
            '.table_label = "{marker.start}{marker.end}{marker.duration}{marker.category}{marker.data.text}{marker.data.unique}{marker.data.text}"'; do
            labels_compile "$compiler" "$display" || fail "$compiler does not take $display: $(cat compiler.log)"
        done
        for display in '.chart_label = "{marker.data.nothing}"' '.table_label = "{marker.data.tex}"' \
            '.tooltip_label = "{marker.data.textual}"' '.tooltip_label = "{marker.nothing}"' '.chart_label = "{text}"' \
            '.table_label = "{marker.name} {marker.data.text} {marker.data.number} {marker.data.text} {marker.data.none}"' \
            '.colour_field = "nothing"' '.colour_field = "number"' '.colour_field = PROFD_KEY(all, unique)'; do
            refute labels_compile "$compiler" "$display"
        done
    done
    # Also without optimisation: colours.
    refute labels_compile 'cc -x c -std=c11 -O0' '.colour_field = PROFD_KEY(all, number)'
}

test_labels_that_the_compiler_let_pass_are_left_out_and_said() {
    cat >unchecked.c <<'END'
#include <profd.h>
#include <sys/wait.h>
#include <unistd.h>
#define FIELDS(FIELD) FIELD(STRING, text, "Text") FIELD(INTEGER, number, "Number")
PROFD_MARKER_TYPE(unchecked, FIELDS, .chart_label = "{marker.data.nothing}", .table_label = "{marker.data.text}",
                  .colour_field = "number");
int main(void)
{
    int is_child = fork() == 0;
    PROFD_MARKER_TYPED(unchecked, "mark", PROFD_CATEGORY_OTHER, profd_instant(), "here", is_child);
    if (!is_child)
        wait(NULL);
    return 0;
}
END
    expect 0 cc -O0 -Wall -Wextra -Werror -I"$source_dir/child-agent/include" unchecked.c -o unchecked \
        -L"$build/lib" "-Wl,-rpath,$build/lib" -lprofd
    expect 0 "$profctl" run -o out.json -- ./unchecked
    grep -q '^profd: marker type unchecked: its chart label "{marker.data.nothing}" refers' stderr
    read_facts out.json
    value_is unchecked mark text $'here\nhere'
    [ "$(meta_of unchecked profd.events.marker-labels)" = $'2\n2' ]
    refute grep -qE '"(chartLabel|tooltipLabel)":"{marker.data.nothing}"|"colorField":"number"' out.json
    grep -q '"tableLabel":"{marker.data.text}"' out.json
    [ "$(grep -o 'unchecked: its chart label \\"{marker.data.nothing}\\" refers' out.json | wc -l)" -eq 2 ]
    [ "$(grep -o 'unchecked: its colour field \\"number\\" is not one of its strings' out.json | wc -l)" -eq 2 ]
}

# In every language standard, by every compiler that is there.
test_good_declarations_compile_without_a_warning() {
    local compiler standard
    cat >plain.source <<'END'
#define NO_FIELDS(FIELD)
PROFD_MARKER_TYPE(bare, NO_FIELDS);
#define FIELDS(FIELD) FIELD(STRING, tint, "Tint") FIELD(TERMINATING_FLOW_ID, flow, NULL)
PROFD_MARKER_TYPE(unset, FIELDS);
PROFD_MARKER_TYPE(set, FIELDS, .chart_label = "{marker.data.tint}", .colour_field = PROFD_KEY(set, tint));
PROFD_COUNTER(unused_counter, "Unused", "Tests", "nobody adds to it");
PROFD_CATEGORY(own, "Own", PROFD_COLOUR_RED);
void record(void);
void record(void)
{
    PROFD_LABEL_SCOPE("label", own);
    PROFD_MARKER_TYPED(bare, "bare", own, profd_instant());
    PROFD_MARKER_TYPED(unset, "unset", own, profd_instant(), "red", profd_flow_global(1));
    PROFD_MARKER_TYPED(set, "set", own, profd_with_stack_now(profd_instant()), "red", profd_flow_global(1));
}
END
    { echo '#include <profd.h>' && cat plain.source; } >plain.c
    { echo '#include <profd.hpp>' && cat plain.source && echo 'void scopes(long); void scopes(long number) {
    PROFD_SCOPE("label", own);
    PROFD_INTERVAL_SCOPE("interval", PROFD_CATEGORY_OTHER);
    PROFD_TYPED_SCOPE(bare, "bare", own);
    PROFD_TYPED_SCOPE(set, "set", number != 0 ? PROFD_CATEGORY_DISK : PROFD_CATEGORY_LOCK, "red", profd_flow_global(1));
}'; } >plain.cpp
    for compiler in 'gcc plain.c' 'clang plain.c' 'g++ plain.cpp' 'clang++ plain.cpp'; do
        command -v "${compiler% *}" >/dev/null || continue
        for standard in c99 c11 gnu17 gnu2x c++11 c++17 gnu++20 c++2b; do
            [[ $compiler == *.cpp && $standard == *++* || $compiler == *.c && $standard != *++* ]] || continue
            # shellcheck disable=SC2086
            expect 0 $compiler -std=$standard -Wall -Wextra -Wpedantic -Werror \
                -I"$source_dir/child-agent/include" -c -o plain.o
        done
    done
}

test_labels_and_names_are_made_at_run_time() {
    expect 0 "$profctl" run -o out.json -- "$programs/dynamic_labels"
    read_facts out.json
    has_function dynamic_labels 'made of 4 words'
    has_function dynamic_labels 'fibonacci (math.lang:42:7)'
    has_function dynamic_labels 'after too many pops'
    grep -q 'not UTF-8 "quoted"' facts
    [ ! -s stderr ] || refute grep -q 'two labels' stderr
    [ "$(meta_of dynamic_labels profd.events.label-underflow)" -eq 3 ]
    [ "$(meta_of dynamic_labels profd.events.label-texts)" -eq 0 ]
    [ "$(awk -F'\t' '$1 == "marker" && $4 ~ /^marker [01]$/ && $8 == "its text" { print $4 }' facts | tr '\n' ,)" = 'marker 0,marker 1,' ]
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "phase" { print $7 }' facts | tr '\n' ,)" = 2,3, ]
}

test_a_million_texts_are_bounded_and_counted() {
    expect 0 "$profctl" run -o out.json -- "$programs/dynamic_labels" many
    read_facts out.json
    # All but those that there is room for, and the eight labels and names that come later.
    [ "$(meta_of dynamic_labels profd.events.label-texts)" -eq $((1000000 - 16384 + 8)) ]
    has_function dynamic_labels '(too many labels)'
}

test_scopes_of_cplusplus_end_with_exceptions() {
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    local standard
    for standard in c++11 c++20; do
        expect 0 c++ -std=$standard -Wall -Wextra -Wpedantic -Werror -I"$source_dir/child-agent/include" -I"$source_dir" \
            "$source_dir/tests/system/programs/scopes.cpp" -o scopes -L"$build/lib" "-Wl,-rpath,$build/lib" -lprofd
    done
    expect 0 "$profctl" run -o out.json -- ./scopes
    read_facts out.json
    value_is scopes 'typed scope' what 'thrown away'
    value_is scopes 'typed scope' steps 5
    has_function scopes scope
    has_function scopes 'scope of thrown away'
    [ "$(awk -F'\t' '$1 == "marker" && $4 == "interval scope" { print $7, ($6 - $5 > 90) }' facts)" = "1 1" ]
    callers_of scopes 'with stack' | grep -qx main
}

test_two_schemas_of_one_name_are_two_types() {
    local symbols
    for symbols in --symbols --no-symbols; do
        expect 0 "$profctl" run ${symbols/--symbols/--quiet} -o out.json -- "$programs/other_markers" "$programs/markers"
        read_facts out.json
        # Each has its own fields, whichever process comes first in the file.
        value_is other_markers 'other request' verb PUT
        value_is markers 'stack earlier' url /earlier
        awk -F'\t' '$1 == "value" && ($4 == "other request" || $4 == "stack earlier") { print $5 }' facts |
            sort -u >types
        [ "$(xargs <types)" = "request request (2)" ]
        # The root has them all.
        root=$(sed -n 's/^process\t\(.*\)\tprofd$/\1/p' facts)
        [ "$(awk -F'\t' -v pid="$root" '$1 == "schema" && $2 == pid && $3 ~ /^(request|every)/ { print $3 }' facts |
            sort | xargs)" = "every request request (2)" ]
    done
}

run_tests "$@"
