#!/bin/bash
# PROFD_DISABLED compiles all of the API out: no symbol of profd is left, and no library is needed.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

include=$source_dir/child-agent/include

# Programs that use all of the API between them.
users="labels markers counting categories events thread_states dynamic_labels own_session"

# no_symbols OBJECT: neither needed nor offered.
no_symbols() {
    local left
    left=$(nm "$1" | awk '$(NF - 1) ~ /^[A-TV-Zuvw]$|^U$/ && $NF ~ /profd/ { print $NF }' | grep -v '5profd8disabled' || true)
    [ -z "$left" ] || fail "$2: it has $(echo "$left" | xargs)"
}

# compile COMPILER SOURCE FLAG…: without a warning, into ./object.o.
compile() {
    local compiler=$1 source=$2
    shift 2
    command -v "$compiler" >/dev/null || return 0
    expect 0 "$compiler" -Wall -Wextra -Werror -DPROFD_DISABLED -D_GNU_SOURCE -I"$include" -I"$source_dir" "$@" -c "$source" \
        -o object.o
    no_symbols object.o "$compiler $* ${source##*/}"
}

test_no_symbol_is_left_in_c() {
    local user level compiler
    for level in -O0 -O2; do
        for compiler in gcc clang; do
            for user in $users; do
                compile "$compiler" "$source_dir/tests/system/programs/$user.c" -std=gnu11 "$level"
            done
        done
    done
}

test_no_symbol_is_left_in_cplusplus() {
    local level compiler standard
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    for level in -O0 -O2; do
        for compiler in g++ clang++; do
            for standard in -std=c++11 -std=c++20; do
                compile "$compiler" "$source_dir/tests/system/programs/scopes.cpp" -Wpedantic "$standard" "$level"
                compile "$compiler" "$source_dir/tests/system/programs/other_categories.cpp" -Wpedantic "$standard" "$level"
            done
        done
    done
}

# What the headers need of the compiler and the C library is not more than with the API.
test_the_headers_alone_compile() {
    local header
    for header in "$include"/profd*.h; do
        header=${header##*/}
        [[ $header != profd_uv.h && $header != profd_disabled.h ]] || continue
        echo "#include <$header>" >alone.c
        expect 0 gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$include" -c alone.c -o alone.o
        expect 0 gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -DPROFD_DISABLED -I"$include" -c alone.c -o alone.o
        no_symbols alone.o "$header"
    done
}

# A function that the library gets, and that nobody thinks of here, would be missed by its users.
test_every_function_has_an_empty_one() {
    nm -D --defined-only "$build/lib/libprofd.so" | awk '$2 == "T" && $3 ~ /^profd_.*[^_]$/ { print $3 }' >functions
    [ "$(wc -l <functions)" -ge 30 ]
    while read -r name; do
        grep -qw "$name" "$include/profd_disabled.h" || fail "profd_disabled.h has no $name"
    done <functions
}

test_every_macro_is_there() {
    local macros='s/^#define \(PROFD_[A-Z_]*[A-Z]\)[( ].*/\1/p'
    for header in profd.h profd.hpp; do
        for disabled in "" -DPROFD_DISABLED; do
            # shellcheck disable=SC2086
            echo "#include <$header>" | expect 0 c++ -x c++ -std=c++17 $disabled -dM -E -I"$include" -include "$header" /dev/null
            sed -n "$macros" stdout | grep -v '_H$\|_HPP$\|PROFD_DISABLED\|PROFD_CONSTANT\|PROFD_KEY' | sort -u >"macros$disabled"
        done
        [ "$(comm -23 macros macros-DPROFD_DISABLED | wc -l)" -eq 0 ] ||
            fail "$header lacks $(comm -23 macros macros-DPROFD_DISABLED | xargs)"
    done
}

# With and without in one program, whose classes are not taken for one another.
test_files_with_and_without_it_go_together() {
    command -v c++ >/dev/null || skip "there is no C++ compiler"
    cat >scope.h <<'END'
#include <profd.hpp>
#include <string>
END
    cat >with.cpp <<'END'
#include "scope.h"
void without();
int main()
{
    std::string text = "text of the file with it";
    PROFD_INTERVAL_SCOPE("with", PROFD_CATEGORY_OTHER);
    without();
}
END
    cat >without.cpp <<'END'
#define PROFD_DISABLED
#include "scope.h"
void without();
void without()
{
    PROFD_INTERVAL_SCOPE("without", PROFD_CATEGORY_OTHER);
    static profd_site site = { "by hand", "", "", 0, 1, 0, nullptr, 0 };
    profd::interval_scope by_hand(site);
    PROFD_MARKER("without", PROFD_CATEGORY_OTHER);
}
END
    local level
    for level in -O0 -O2; do
        expect 0 c++ $level -I"$include" without.cpp with.cpp -o mixed -L"$build/lib" "-Wl,-rpath,$build/lib" -lprofd
        expect 0 "$profctl" run --quiet -o out.json -- ./mixed
        read_facts out.json
        [ "$(awk -F'\t' '$1 == "marker" && $4 != "Process" { print $4 }' facts | xargs)" = with ] || fail "$(grep ^marker facts)"
    done
}

test_such_a_program_runs_without_the_library() {
    local program
    for program in labels markers counting events thread_states dynamic_labels; do
        expect 0 gcc -DPROFD_DISABLED -D_GNU_SOURCE -I"$include" -I"$source_dir" \
            "$source_dir/tests/system/programs/$program.c" -o "$program" -lm
        expect 0 "./$program"
    done
    expect 0 gcc -DPROFD_DISABLED -D_GNU_SOURCE -I"$include" -I"$source_dir" \
        "$source_dir/tests/system/programs/own_session.c" -o own_session
    expect 0 ./own_session start stop pause active capture-nothing
    [ "$(cut -d' ' -f2 stdout | xargs)" = "ENOSYS ENOSYS ENOSYS ENOENT ENOSYS" ] || fail "$(cat stdout)"
}

run_tests "$@"
