#!/bin/bash
# Stacks go out to where their threads began, also through what is hard to pass.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# share_of_lines PATTERN FILTER: of the CPU time of the lines of out.collapsed that match PATTERN, how much is in
# those that match FILTER, too, in 1/1000.
share_of_lines() {
    pattern=$1 filter=$2 awk '$0 ~ ENVIRON["pattern"] && !/;\(not sampled\)/ {
        all += $NF
        if ($0 ~ ENVIRON["filter"]) some += $NF
    } END { if (all == 0) exit 1; printf "%d\n", some * 1000 / all }' out.collapsed
}

# is_share_of PATTERN FILTER COMPARISON NUMBER
is_share_of() {
    local share
    share=$(share_of_lines "$1" "$2") || fail "no samples of $1"
    test "$share" "$3" "$4" || fail "$share of 1000 samples of $1 are $2"
}

record() {
    expect 0 "$profctl" --quiet run --clock "$clock" -o out.json -- "$@"
    expect 0 "$profctl" --quiet convert out.json -o out.collapsed
}

test_a_handler_on_a_stack_of_its_own_was_called_by_main() {
    clock=cpu
    record "$programs/alternate_stack"
    is_share_of ';work_in_handler ' ';main .*;on_signal .*;work_in_handler ' -eq 1000
}

# Each module is a library that is loaded when it is imported, and begins to run at once.
test_libraries_are_known_when_they_begin_to_run() {
    clock=cpu
    [ -x /usr/bin/python3 ] || skip "no python3"
    cat >import.sh <<'EOF'
for i in 1 2 3 4 5 6 7 8 9 10; do
    /usr/bin/python3 -c 'import ssl, sqlite3, asyncio, ctypes, decimal, email, xml.dom, unittest, http.client' || exit
done
EOF
    record sh import.sh
    is_share_of '^python3' ';\(stack truncated\);' -lt 20
}

# The loader puts the one where the other was.
test_libraries_that_take_turns_at_an_address_have_their_own_samples() {
    local which
    for which in one two; do
        cat >$which.c <<EOF
__attribute__((noinline)) int work_of_$which(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
int turn(int n) { int got = work_of_$which(n); return got + 1; }
EOF
        "${CC:-cc}" -O1 -g -fno-ipa-icf -shared -fPIC $which.c -o $which.so || skip "no compiler"
    done
    cat >takes_turns.c <<'EOF'
#include <dlfcn.h>
#include <time.h>
int main(void)
{
    struct timespec used;
    int i = 0;
    do {
        void *library = dlopen(i++ % 2 ? "./one.so" : "./two.so", RTLD_NOW);
        ((int (*)(int))dlsym(library, "turn"))(i % 2 ? 60000000 : 20000000);
        dlclose(library);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_sec < 2);
    return 0;
}
EOF
    "${CC:-cc}" -O1 -g takes_turns.c -o takes_turns -ldl
    for clock in cpu perf; do
        record ./takes_turns
        is_share_of ';turn ' ';turn .*;work_of_(one|two) ' -gt 950
        is_share_of ';work_of_' ';work_of_two ' -gt 600
        is_share_of ';work_of_' ';work_of_two ' -lt 850
    done
}

# Go calls C on the stack of the system, from goroutines that are on others.
test_c_that_go_calls_was_called_by_go() {
    clock=cpu
    command -v go >/dev/null || skip "no go"
    cat >calls.go <<'EOF'
package main

// static int spin(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
import "C"
import "time"

//go:noinline
func callsSpin() { C.spin(100000) }

func main() {
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
		callsSpin()
	}
}
EOF
    expect 0 env HOME="$PWD" GO111MODULE=off GOFLAGS= go build -o calls calls.go
    record ./calls
    is_share_of ';spin ' ';main\.main .*;main\.callsSpin .*;spin ' -gt 950
}

# make_library FILE FUNCTION: its work() has FUNCTION use 300 ms.
make_library() {
    printf '#include "burn.h"\n__attribute__((noinline)) void %s(void) { burn_outer(0.3); burn_inner(); }
void work(void) { %s(); burn_inner(); }\n' "$2" "$2" >"$2.c"
    cc -g -O1 -shared -fPIC -Wl,--build-id -I "$source_dir/tests/system/programs" -o "$1" "$2.c"
}

# The libraries that a program begins with need no call to be read.
test_stacks_are_whole_where_reading_memory_is_refused() {
    for clock in cpu wall; do
        expect 0 "$programs/refuses" reads "$profctl" run --clock $clock -o out.json -- "$programs/busy" 0.3
        expect 0 "$profctl" --quiet convert out.json -o out.collapsed
        is_share_of '^busy .*;burn_' ';main .*;burn_outer ' -gt 980
        expect 0 "$profctl" report out.json
        refute grep -q '^stacks:' stdout
    done
}

# The status lacks what a process recorded while that is copied after its end.
test_stacks_that_end_early_for_that_are_told_of() {
    make_library ./first.so first_work
    expect 0 "$programs/refuses" reads "$profctl" run --clock cpu -o out.json -- \
        bash -c '"$1" ./first.so; until "$2" status >status && grep "^stacks" status; do sleep 0.02; done' - \
        "$programs/loads" "$profctl"
    expect 0 "$profctl" report out.json
    says '^stacks: [1-9][0-9]* end early: process_vm_readv is refused' stdout
    says '^stacks +[1-9][0-9]* end early: process_vm_readv is refused' status
    expect 0 "$profctl" --json report out.json
    says '"unreadableStacks":[1-9]' stdout
}

# Nobody can be asked where it is; that it ran is known.
test_threads_that_the_wall_clock_cannot_ask_are_told_of() {
    expect 0 "$programs/refuses" signals "$profctl" run --clock wall -o out.json -- \
        bash -c '"$1" 0.3; until "$2" status >status && grep "^stacks" status; do sleep 0.02; done' - \
        "$programs/busy" "$profctl"
    says '^stacks +[1-9][0-9,]* are missing: rt_tgsigqueueinfo is refused' status
    says '"refused-signal":[1-9]' out.json
    expect 0 "$profctl" report out.json
    says '^stacks: [1-9][0-9,]* are missing: rt_tgsigqueueinfo is refused' stdout
    expect 0 "$profctl" --json report out.json
    says '"unaskedStacks":[1-9]' stdout
}

run_tests "$@"
