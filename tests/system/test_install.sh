#!/bin/bash
# An installation works wherever its prefix is, and a program links with what pkg-config says.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

install_into() {
    make -C "$source_dir" --no-print-directory PREFIX="$1" ${2:+DESTDIR="$2"} install
}

# What pkg-config prints, also where it is not installed.
flags_of() {
    if command -v pkg-config >/dev/null; then
        PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs profd
    else
        sed -n "s|\${pcfiledir}/../..|$1|; s|\${[a-z]*}||g; s/^Cflags: //p; s/^Libs: //p" \
            "$1/lib/pkgconfig/profd.pc" >/dev/null
        echo "-I$1/include -L$1/lib -Wl,-rpath,$1/lib -lprofd"
    fi
}

test_installed_copies_find_each_other_after_a_move() {
    install_into "$scratch/first" >install.log
    mv first second
    PATH=$scratch/second/bin:$PATH expect 0 profctl run -o out.json -- "$programs/busy" 0.2
    read_facts out.json
    has_function busy burn_outer
}

# debian/*.install names what a package has; where libraries are depends on the machine there.
test_packages_share_out_all_that_is_installed() {
    local pattern
    make -C "$source_dir" --no-print-directory PREFIX=/usr DESTDIR="$scratch/stage" \
        ZSH_FUNCTIONS=vendor-completions install >install.log
    cd stage || fail "nothing was installed"
    cat "$source_dir"/debian/*.install | sed 's|/lib/\*/|/lib/|' >../patterns
    while read -r pattern; do
        compgen -G "$pattern" >>../shared || fail "nothing is $pattern"
    done <../patterns
    find . -type f -o -type l | sed 's|^\./||' | LC_ALL=C sort >../installed
    LC_ALL=C sort ../shared | diff - ../installed || fail "not shared out as it is installed"
}

test_destdir_and_uninstall() {
    install_into /opt/profd "$scratch/stage" >install.log
    for file in bin/profd bin/profctl libexec/profctl-http libexec/profd-salvage lib/libprofd.so lib/libprofd.a \
        lib/pkgconfig/profd.pc include/profd.h include/profd_threads.h include/profd_uv.h \
        include/profd_counters.h include/profd_sampling.h include/profd_categories.h \
        include/profd_session.h include/profd_disabled.h share/man/man1/profctl-run.1 share/man/man3/profd.3 \
        share/man/man5/profd-capture.5 share/man/man7/libprofd.7 share/man/man8/profd.8 \
        share/bash-completion/completions/profctl share/zsh/site-functions/_profd share/fish/vendor_completions.d/profd.fish; do
        [ -f "stage/opt/profd/$file" ] || fail "no $file"
    done
    # Manuals tell the version and its day.
    version=$("$profd" --version | sed -n '1s/^profd //p')
    [ -z "$(grep -LE "^\.TH [^ ]+ [1-8] 20[0-9]{2}-[0-9]{2}-[0-9]{2} \"profd ${version//./\\.}\" " stage/opt/profd/share/man/man*/*)" ] ||
        fail "a manual has no version: $(head -n 2 stage/opt/profd/share/man/man1/profctl.1)"
    make -C "$source_dir" --no-print-directory PREFIX=/opt/profd DESTDIR="$scratch/stage" \
        uninstall >install.log
    [ -z "$(find stage -type f)" ] || fail "left behind: $(find stage -type f)"
}

test_libraries_have_to_be_within_the_prefix() {
    expect 2 make -C "$source_dir" --no-print-directory PREFIX=/usr LIBDIR=/lib DESTDIR="$scratch/stage" install
    says 'LIBDIR has to be a folder within PREFIX' stderr
    [ ! -e stage ]
}

test_half_an_installation_says_what_is_missing() {
    install_into "$scratch/prefix" >install.log
    for missing in lib/libprofd.so.1 lib/profd/libprofd-malloc.so libexec/profd-salvage libexec/profd-keeper; do
        mv "prefix/$missing" kept
        expect 3 prefix/bin/profctl run --strict -o out.json -- touch ran
        one_line stderr
        says "only partly installed: cannot use .*/$missing .*install" stderr
        [ ! -e ran ]
        expect 7 prefix/bin/profctl run -o out.json -- sh -c 'exit 7'
        says "profd cannot start; 'sh' runs without being profiled" stderr
        mv kept "prefix/$missing"
    done
}

# A command that is made every second, or measured, is not to wait for libraries that it does not use.
test_profctl_leaves_libraries_of_http_to_a_program_of_its_own() {
    ldd "$profctl" >libraries
    ! grep -E 'curl|microhttpd|gnutls|ssl|capstone' libraries || fail "profctl loads them"
    install_into "$scratch/prefix" >install.log
    expect 2 prefix/bin/profctl --json query http://localhost # which profctl-http knows to be wrong
    says 'does not begin with clickhouse://' stderr
    rm prefix/libexec/profctl-http
    for command in export query view; do
        expect 0 prefix/bin/profctl $command --help
        expect 1 prefix/bin/profctl $command clickhouse://localhost/profd
        one_line stderr
        says 'cannot run .*/prefix/libexec/profctl-http: No such file.*install it with profctl' stderr
    done
    expect 7 prefix/bin/profctl -q run --open -o out.json -- sh -c 'exit 7'
    says 'cannot run .*/profctl-http' stderr
}

test_program_links_with_the_flags_of_pkg_config() {
    install_into "$scratch/prefix" >install.log
    # shellcheck disable=SC2046
    expect 0 cc -I"$source_dir" "$source_dir/tests/system/programs/labels.c" -o app $(flags_of "$scratch/prefix")
    expect 0 ./app
    expect 0 prefix/bin/profctl run -o out.json -- ./app
    read_facts out.json
    has_function labelled 'inner label'
}

test_program_links_with_the_archive() {
    install_into "$scratch/prefix" >install.log
    expect 0 cc -I"$source_dir" -Iprefix/include "$source_dir/tests/system/programs/labels.c" -o app \
        prefix/lib/libprofd.a
    expect 0 ./app
}

# The preloaded agent records such a program; the one inside it does not come between, also where the
# program exports the API.
test_program_with_the_archive_is_one_process_when_it_is_profiled() {
    install_into "$scratch/prefix" >install.log
    for linked in -no-pie -rdynamic; do
        expect 0 cc "$linked" -I"$source_dir" -Iprefix/include "$source_dir/tests/system/programs/labels.c" \
            -o app prefix/lib/libprofd.a
        expect 0 prefix/bin/profctl run -o out.json -- ./app
        read_facts out.json
        [ "$(grep -c ^process facts)" -eq 2 ] ||
            fail "$linked: not one process and profd: $(grep ^process facts)"
    done
}

test_library_has_the_symbols_that_packages_promise() {
    expect 0 "$source_dir/scripts/check-symbols" "$build/lib/libprofd.so.1"
}

test_library_exports_only_what_it_means_to() {
    nm -D --defined-only "$build/lib/libprofd.so" | awk '{ print $3 }' | grep -v '^profd_' >exported || true
    while read -r name; do
        grep -qw "$name" "$source_dir/child-agent/libprofd.map" || fail "exports $name"
    done <exported
    [ "$(nm --defined-only -g "$build/lib/libprofd.a" | awk 'NF == 3 && $3 !~ /^profd_/' | wc -l)" -eq 0 ]
}

run_tests "$@"
