#!/bin/bash
# Programs that run where the agent's library cannot be opened are what they are without it.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A folder ./root with a shell and /told in it, and nothing of ours. /told says what it is told to
# preload, and exits with 3; /told stay does so when it is killed.
make_root() {
    need_root
    cat >told.c <<'END_OF_PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    const char *preload = getenv("LD_PRELOAD");
    printf("%s\n", preload != NULL ? preload : "none");
    fflush(stdout);
    if (count > 1)
        pause();
    return 3;
}
END_OF_PROGRAM
    mkdir -p root/bin
    cc -O1 -o root/told told.c
    cp /bin/sh root/bin/sh
    cp /bin/sh root/shell
    for file in root/told /bin/sh; do
        ldd "$file" | grep -o '/[^ ]*' | sort -u | xargs -I FILE cp --parents -L FILE root
    done
    expect 3 chroot root /told
}

# A library that does nothing, in and outside of the root, at $other.
make_other_library() {
    other=$PWD/libother.so
    echo 'int other;' >other.c
    cc -shared -fPIC -o "$other" other.c
    cp --parents "$other" root
}

# expect_quietly STATUS COMMAND…: whose standard error is empty, with what goes around it in $around.
expect_quietly() {
    local status=$1
    shift
    # shellcheck disable=SC2016
    expect "$status" "${around[@]}" sh -c 'exec "$0" "$@" 2>program.err' "$@"
    [ ! -s program.err ] || fail "standard error: $(head -n 3 program.err)"
}

run_quietly() {
    around=("$profctl" run -q -o out.json --)
    expect_quietly "$@"
}

# alone_quietly LIBRARY STATUS COMMAND…: with the agent, and no profd.
alone_quietly() {
    around=(env -u PROFD_SOCKET LD_PRELOAD="$1")
    shift
    expect_quietly "$@"
}

# said COUNT WORDS: that often, and nothing else.
said() {
    grep -cx -- "$2" stdout | grep -qx "$1" || fail "not $1 times $2"
    [ "$(wc -l <stdout)" -eq "$1" ] || fail "said more"
}

# out_of_reach PROCESS: each of them is not profiled for that reason.
out_of_reach() {
    has_process "$1"
    refute grep -qv '^not-profiled$' <(meta_of "$1" profd.verdict)
    refute grep -qv 'cannot be opened where it runs' <(meta_of "$1" profd.reason)
}

test_a_program_in_another_root() {
    make_root
    run_quietly 3 chroot root /told
    said 1 none
    read_facts out.json
    [ "$(process_count told)" -eq 1 ]
    out_of_reach told
    grep -qx 3 <(meta_of told profd.code)
}

test_every_way_to_run_one() {
    make_root
    run_quietly 0 "$programs/another_root" root /told
    said 24 none
    read_facts out.json
    # Without /proc nobody can tell what those are that are run by their descriptors.
    [ "$(process_count told)" -ge 22 ]
    out_of_reach told
}

test_a_shell_and_what_it_runs() {
    make_root
    run_quietly 3 chroot root /shell -c '/told; (/told); /bin/sh -c "/told; /told; exit 3"'
    said 4 none
    read_facts out.json
    out_of_reach shell
}

# Of a program that one without an agent runs, profd finds out.
test_what_lives_there_is_told_of() {
    make_root
    start_profd -- chroot root /shell -c '/told stay; :'
    expect 0 "$profctl" start
    stays() { "$profctl" status | grep -q 'told; not profiled: .*cannot be opened where it runs'; }
    wait_until stays
}

test_hooks_of_malloc_go_too() {
    make_root
    around=("$profctl" run -q -f nativeallocs -o out.json --)
    expect_quietly 0 "$programs/another_root" root /told
    said 24 none
}

test_other_libraries_stay() {
    make_root
    make_other_library
    LD_PRELOAD=$other run_quietly 0 "$programs/another_root" root /told
    said 24 "$other"
}

test_a_large_environment() {
    make_root
    make_other_library
    LD_PRELOAD=$other run_quietly 0 "$programs/another_root" root /told 20000
    said 24 "$other"
}

# The same library can be there: then nothing is in the way.
test_a_root_with_our_library() {
    make_root
    cp --parents "$build/lib/libprofd.so.1" root
    ldd "$build/lib/libprofd.so.1" | grep -o '/[^ ]*' | sort -u | xargs -I FILE cp --parents -L FILE root
    run_quietly 0 "$programs/another_root" root /told
    said 24 "$build/lib/libprofd.so.1"
    read_facts out.json
    [ "$(process_count told)" -ge 22 ]
    refute grep -q 'cannot be opened where it runs' facts
}

test_without_profd() {
    make_root
    alone_quietly "$build/lib/libprofd.so.1" 0 "$programs/another_root" root /told
    said 24 none
}

# It is not the process that moves what it sees.
test_another_mount_over_the_library() {
    need_root
    unshare -m true 2>/dev/null || skip "needs mount namespaces"
    mkdir lib empty
    cp "$build/lib/libprofd.so.1" lib
    alone_quietly "$PWD/lib/libprofd.so.1" 1 unshare -m sh -c 'mount --bind empty lib && exec printenv LD_PRELOAD'
}

test_another_user_who_may_not_enter_our_folder() {
    need_root
    command -v setpriv >/dev/null || skip "needs setpriv"
    mkdir -m 700 private
    cp "$build/lib/libprofd.so.1" private
    # shellcheck disable=SC2016
    alone_quietly "$PWD/private/libprofd.so.1" 0 \
        setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'echo "${LD_PRELOAD-none}"'
    said 1 none
}

# Where it cannot see profd's socket, and has other numbers for its processes.
test_children_that_are_forked_there() {
    need_root
    mkdir empty
    expect 0 "$profctl" run -o out.json -- "$programs/copies" "$PWD/empty"
    read_facts out.json
    for name in 'by clone call' 'by clone3 call' 'by clone' grandchild; do
        [ "$(process_count "$name")" -eq 1 ] || fail "$(process_count "$name") times $name"
        [ "$(samples_of "$name" GeckoMain)" -gt 5 ] || fail "$(samples_of "$name" GeckoMain) samples of $name"
    done
    [ "$(process_count copies)" -eq 2 ] # and one with this one's memory, which went to another root
    expect 0 "$profctl" report --processes out.json
    refute grep -Eq '^ +[0-9.?]+ +[0-9.]+  [0-9]{1,2}  ' stdout # the pid of a namespace
}

run_tests "$@"
