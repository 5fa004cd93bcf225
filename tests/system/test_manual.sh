#!/bin/bash
# The manual: it formats, and has each command, option, function and variable that there is, and no others.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

pages=$source_dir/docs/man

# A page's words, without its markup.
words() {
    sed 's/\\f[BRI]//g; s/\\-/-/g' "$pages/$1"
}

# What a page names in its tagged paragraphs, a line each.
tags() {
    words "$1" | awk 'tagged { print } { tagged = /^\.TP/ }'
}

# section PAGE TITLE: its lines.
section() {
    words "$1" | awk -v title="$2" '/^\.SH / { inside = $0 == ".SH " title; next } inside'
}

# The names that a page is about.
subjects() {
    section "$1" NAME | tr '\n' ' ' | sed 's/ - .*//; s/,/\n/g' | tr -d ' '
    echo
}

commands() {
    "$profctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

long_options() {
    grep -oE -- '--[a-z]+(-[a-z]+)*' | sort -u
}

test_pages_format_without_a_warning() {
    local page
    command -v man >/dev/null || skip "needs man"
    for page in "$pages"/*.[1-8]; do
        LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l "$page" 2>stderr >text
        [ ! -s stderr ] || fail "$page: $(head -n 1 stderr)"
        [ "$(wc -l <text)" -gt 10 ] || fail "$page has no text"
    done
}

test_pages_have_their_sections() {
    local page title titles
    for page in "$pages"/*.[1-8]; do
        case $page in
        *.1) titles="NAME SYNOPSIS DESCRIPTION OPTIONS EXIT.STATUS SEE.ALSO" ;;
        *.8) titles="NAME SYNOPSIS DESCRIPTION OPTIONS EXIT.STATUS ENVIRONMENT FILES EXAMPLES SEE.ALSO" ;;
        *.3) titles="NAME LIBRARY SYNOPSIS DESCRIPTION ATTRIBUTES HISTORY SEE.ALSO" ;;
        *.5) titles="NAME DESCRIPTION EXAMPLES SEE.ALSO" ;;
        *) titles="NAME DESCRIPTION SEE.ALSO" ;;
        esac
        for title in $titles; do
            grep -qx ".SH $title" "$page" || fail "${page##*/} has no ${title/./ }"
        done
        subjects "${page##*/}" | grep -qxF "$(basename "${page%.*}")" || [[ $page == *.hpp.3 ]] ||
            fail "${page##*/} is not about what it is called"
    done
}

# What man-pages(7) asks for: sections in this order, with ours of their own behind OPTIONS.
test_sections_are_in_their_order() {
    local page order
    order="NAME LIBRARY SYNOPSIS DESCRIPTION COMMANDS OPTIONS EXIT_STATUS RETURN_VALUE ERRORS ENVIRONMENT FILES"
    order+=" ATTRIBUTES HISTORY NOTES EXAMPLES SEE_ALSO"
    tr ' ' '\n' <<<"$order" >order
    for page in "$pages"/*.[1-8]; do
        sed -n 's/^\.SH //p' "$page" | tr ' ' '_' | grep -xFf order >titles
        diff <(grep -xFf titles order) titles >difference || fail "${page##*/}: $(xargs <difference)"
    done
}

test_other_pages_are_sorted() {
    local page
    for page in "$pages"/*.[1-8]; do
        section "${page##*/}" "SEE ALSO" | tr '\n' ' ' | grep -oE '[A-Za-z_.-]+\([1-8]\)' |
            sed 's/\(.*\)(\(.\))/\2 \1/' >others
        LC_ALL=C sort -f -c others 2>stderr || fail "SEE ALSO of ${page##*/}: $(cat stderr)"
    done
}

# What one page says of another leads somewhere.
test_pages_refer_to_pages() {
    local page
    for page in "$pages"/*.[1-8]; do
        subjects "${page##*/}" | sed "s/\$/(${page##*.})/"
        basename "$page" | sed 's/\.\([1-8]\)$/(\1)/'
    done >there
    cat "$pages"/*.[1-8] | sed 's/\\f[BRI]//g; s/\\-/-/g' |
        grep -oE '\b(libprofd|profd|profctl|PROFD)[A-Za-z_.-]*\([1-8]\)' | sort -u >meant
    [ "$(wc -l <meant)" -gt 20 ]
    while read -r page; do
        grep -qxF "$page" there || fail "there is no page $page"
    done <meant
}

test_every_command_has_a_page_with_its_options() {
    local command option
    commands >commands
    [ "$(wc -l <commands)" -ge 15 ]
    "$profctl" --help | sed -n '/^Options:/,/^$/p' | long_options >common
    tags profctl.1 >common_tags
    while read -r option; do
        grep -q -- "$option\b" common_tags || fail "profctl(1) has no $option"
    done <common
    while read -r command; do
        grep -q "^$command\b" common_tags || fail "profctl(1) has no command $command"
        [ -e "$pages/profctl-$command.1" ] || fail "there is no profctl-$command(1)"
        # As help lists them, with their letters.
        "$profctl" "$command" --help | sed -n '/^Options:/,$s/^  \(-.,\|   \) \(--[a-z-]*\) .*/\1 \2/p' |
            sed 's/^ *//' | grep -vFf common >options || true
        tags "profctl-$command.1" | sed -n 's/^\(-.*--[a-z-]*\|--[a-z-]*\).*/\1/p' >tags
        diff <(sort -u options) <(sort -u tags) >difference ||
            fail "profctl-$command(1) and its help differ: $(xargs <difference)"
    done <commands
}

test_page_of_profd_has_its_options() {
    "$profd" --help | sed -n 's/^  \(--.*\)/\1/p' | long_options >options
    [ "$(wc -l <options)" -ge 8 ]
    tags profd.8 | grep '^--' | long_options >tags
    diff options tags || fail "profd(8) and its help differ"
}

# Those that are details of others say so.
test_overview_has_every_header() {
    local header
    words profd.3 >manual
    for header in "$source_dir"/child-agent/include/profd*; do
        head -n 1 "$header" | grep -q 'a detail of\|Details of' && continue
        grep -q "${header##*/}" manual || fail "profd(3) has no ${header##*/}"
    done
    grep -q PROFD_DISABLED manual
}

# What a header declares under the title "Details", or is a header of details, is not for programs.
functions() {
    local folder=$source_dir/child-agent/include header line name title
    printf '#include <profd.h>\n#include <profd_uv.h>\n' >api.c
    cc -std=gnu11 -I"$folder" -fsyntax-only -aux-info prototypes api.c
    # "/* HEADER:LINE:NC */ static int NAME (…", as the compiler tells it.
    sed -nE 's|^/\* (.*/profd[a-z_]*\.h):([0-9]+):.. \*/ (extern\|static) (.*)|\1 \2 \4|p' prototypes |
        awk 'match($0, /profd_[a-z_]* \(/) { print $1, $2, substr($0, RSTART, RLENGTH - 2) }' |
        grep -v '_$' | sort -u >declarations
    while read -r header line name; do
        title=$(head -n "$line" "$header" | grep -E '^/\* (--- |.*: a detail of|Details of)' | tail -n 1)
        [[ $title == *[Dd]etail* ]] || echo "$name"
    done <declarations
}

macros() {
    local folder=$source_dir/child-agent/include
    printf '#include <profd.h>\n#include <profd.hpp>\n' >api.cc
    c++ -I"$folder" -E -dM api.cc | sed -n 's/^#define \(PROFD_[A-Z_]*[A-Z]\)(.*/\1/p'
}

test_every_function_has_a_page() {
    local page
    command -v c++ >/dev/null || skip "needs a compiler of C++"
    { functions && macros; } | sort -u >functions.list
    [ "$(wc -l <functions.list)" -ge 80 ]
    for page in "$pages"/*.3; do
        [ "$page" = "$pages/profd.3" ] || subjects "${page##*/}"
    done | sort >subjects
    [ -z "$(uniq -d subjects)" ] || fail "in two pages: $(uniq -d subjects | xargs)"
    diff functions.list <(sort -u subjects) >difference ||
        fail "headers (<) and section 3 (>) differ: $(grep '^[<>]' difference | xargs)"
}

# … which shows how it is called.
test_every_function_is_in_the_synopsis() {
    local page name
    for page in "$pages"/*.3; do
        [ "$page" != "$pages/profd.3" ] || continue
        section "${page##*/}" SYNOPSIS >synopsis
        while read -r name; do
            [ -z "$name" ] || grep -q "\b$name(" synopsis || fail "${page##*/} does not show $name"
        done < <(subjects "${page##*/}")
    done
}

test_every_feature_and_variable_is_explained() {
    LD_PRELOAD=$build/lib/libprofd.so PROFD_HELP=1 /bin/true >help
    tags libprofd.7 >tags
    sed -n 's/^  \(PROFD_[A-Z_]*\)=.*/\1/p' help >variables
    [ "$(wc -l <variables)" -ge 10 ]
    while read -r variable; do
        grep -qE "\b$variable\b" tags || fail "libprofd(7) has no $variable"
    done <variables
    tags profctl-start.1 >tags
    sed -n 's/^ \{36\}\([a-z]*\) .*/\1/p' help >features
    [ "$(wc -l <features)" -ge 13 ]
    while read -r feature; do
        grep -qE "\b$feature\b" tags || fail "profctl-start(1) has no feature $feature"
    done <features
}

test_every_key_of_a_config_is_explained() {
    sed -n 's/^    { "\([a-z_]*\)", read_.*/\1/p' "$source_dir"/daemon/programs/config_program.c >keys
    [ "$(wc -l <keys)" -ge 7 ]
    tags profd-config.5 >tags
    while read -r key; do
        grep -qw "$key" tags || fail "profd-config(5) has no $key"
    done < <(cat keys && printf '%s\n' programs always always_features export)
}

# members FILE: the names of all members in a JSON document, those of maps by process ids left out.
members() {
    grep -oE '"[A-Za-z]+":' "$1" | tr -d '":' | sort -u
}

test_every_member_of_groups_is_explained() {
    local name
    tags profd-groups.5 >tags
    start_profd
    in_background "$programs/tenants" 1000 >tenants.out
    measured() { "$profctl" --json groups --by thread --for 100ms >groups.json && grep -q '"cpuMs"' groups.json; }
    wait_until measured
    "$profctl" --json groups --for 100ms >>groups.json
    members groups.json >names
    [ "$(wc -l <names)" -ge 20 ]
    while read -r name; do
        grep -qw "$name" tags || fail "profd-groups(5) has no $name"
    done <names
}

run_tests "$@"
