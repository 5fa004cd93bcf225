#!/bin/bash
# Categories of programs' own: in one process, in several that don't agree, and bad ones.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# facts_of PROCESS: all lines of the facts.
facts_of() {
    awk -F'\t' -v process="$1" '
        $1 == "process" && $3 == process { pids[$2] = 1 }
        $1 != "process" && ($2 in pids)' facts
}

# frame_is PROCESS LABEL CATEGORY SUBCATEGORY
frame_is() {
    facts_of "$1" | cut -f1,3- | grep -qx "frame"$'\t'"$2"$'\t'"$3"$'\t'"$4" ||
        fail "$2 is not of $3, $4 but $(facts_of "$1" | grep -F "$2"$'\t' | grep ^frame)"
}

# mark_is PROCESS MARKER CATEGORY
mark_is() {
    facts_of "$1" | cut -f1,3- | grep -qx "marked"$'\t'"$2"$'\t'"$3" ||
        fail "$2 is not of $3 but $(facts_of "$1" | grep -F "$2"$'\t' | grep ^marked)"
}

# category_is COLOUR SUBCATEGORIES CATEGORY: in all processes.
category_is() {
    [ "$(awk -F'\t' -v name="$3" '$1 == "category" && $3 == name { print $4 "\t" $5 }' facts | sort -u)" = "$1"$'\t'"$2" ] ||
        fail "$3 is $(grep ^category facts | grep -F "$3"$'\t')"
}

# All processes list the same categories.
agrees() {
    local pid lists
    lists=$(awk -F'\t' '$1 == "process" { print $2 }' facts | while read -r pid; do
        awk -F'\t' -v pid="$pid" '$1 == "category" && $2 == pid' facts | cut -f3- | cksum
    done | sort -u)
    [ "$(echo "$lists" | wc -l)" -eq 1 ] || fail "lists differ: $(grep ^category facts)"
    # A name stands in it once.
    [ -z "$(awk -F'\t' '$1 == "category" { print $2, $3 }' facts | sort | uniq -d)" ]
}

places_are_good() {
    frame_is categories committing Database Commit
    frame_is categories asking Database Query
    frame_is categories 'asking again' Database Query
    frame_is categories 'looking up' 'Cache "one" ' Other
    frame_is categories computing Compute Other
    frame_is categories flushing Disk Flush
    mark_is categories asked Database
    mark_is categories 'asked again' Database
    mark_is categories 'looked up' 'Cache "one" '
    mark_is categories flushed Disk
    mark_is categories common Lock
}

test_frames_and_markers_have_categories_of_the_program() {
    expect 0 "$profctl" run -o out.json -- "$programs/categories"
    read_facts out.json
    agrees
    places_are_good
    mark_is 'categories: child' 'looked up' 'Cache "one" '
    category_is orange 'Other|Commit|Query' Database
    category_is orange 'Other|Flush' Disk
}

test_bad_ones_are_other_and_counted() {
    local marker
    expect 0 "$profctl" run -o out.json -- "$programs/categories"
    read_facts out.json
    for marker in 'no name' 'empty name' 'part of a part' 'part of nothing' 'no category'; do
        mark_is categories "$marker" Other
    done
    category_is grey Other Colourless
    frame_is categories 'first of many' 'Many 0' Other
    frame_is categories 'last of many' Other Other
    # Three of 64 are taken before the hundred; five were bad.
    [ "$(meta_of categories profd.events.categories)" -eq 44 ]
}

build_other() {
    expect 0 c++ -std=c++11 -Wall -Wextra -Werror -O1 -I"$source_dir/child-agent/include" -I"$source_dir" \
        "$source_dir/tests/system/programs/other_categories.cpp" -o other_categories \
        -L"$build/lib" "-Wl,-rpath,$build/lib" -lprofd
}

test_processes_that_differ_have_one_list_in_a_capture() {
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    local symbols
    build_other
    for symbols in --symbols --no-symbols; do
        expect 0 "$profctl" run "${symbols/--symbols/--quiet}" -o out.json -- ./other_categories "$programs/categories"
        read_facts out.json
        agrees
        places_are_good
        frame_is other_categories drawing Render Other
        frame_is other_categories 'rolling back' Database Rollback
        frame_is other_categories 'asking otherwise' Database Query
        frame_is other_categories 'looking up otherwise' 'Cache "one" ' Other
        mark_is other_categories drawn Render
        mark_is other_categories 'drawn with type' Render
    done
    # Naming it again changes nothing.
    expect 0 "$profctl" symbolicate out.json
    read_facts out.json
    agrees
    places_are_good
}

test_a_program_alone_has_its_own_list() {
    expect 0 env -u PROFD_SOCKET PROFD_STARTUP=1 PROFD_SHUTDOWN=out-%p.json "$programs/categories"
    for file in out-*.json; do
        read_facts "$file"
        agrees
        [ "$(process_count categories)" -eq 0 ] || places_are_good
    done
}

run_tests "$@"
