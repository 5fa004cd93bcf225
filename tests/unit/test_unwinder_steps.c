/* child-agent.unwinder against libunwind's cursor, at every instruction of some functions. */
#pragma GCC optimize("omit-frame-pointer")

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/frame_shapes.h"
#include "tests/unit/run_suite.h"

static struct {
    uint64_t steps, different, incomplete, reference_lost;
    uint64_t outermost; /* a CFA that all stacks have in common */
} stepped;

static bool reaches_outermost(const struct unwind_frame *found, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (found[i].stack_address == stepped.outermost)
            return true;
    }
    return false;
}

static bool is_beginning_of_reference(size_t count, size_t expected)
{
    for (size_t i = 0; i < count; i++) {
        if (i >= expected || frames[i].address != reference[i].address)
            return false;
    }
    return true;
}

/* The unwinder must find the way out, but for the few instructions whose tables say more than it
 * reads; where libunwind does, by the same frames. Where tables are wrong, in some epilogues,
 * libunwind gets lost. */
static bool is_right(size_t count, size_t expected)
{
    if (!is_complete)
        return is_beginning_of_reference(count, expected);
    if (!reaches_outermost(frames, count))
        return false;
    if (!reaches_outermost(reference, expected)) {
        stepped.reference_lost++;
        return true;
    }
    for (size_t i = 0; i < count && i < expected; i++) {
        if (frames[i].address != reference[i].address)
            return false;
    }
    return count == expected;
}

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    const ucontext_t *interrupted_context = context;
    snapshot_from_context(&copy, interrupted_context);
    size_t count = walk_stack();
    size_t expected = libunwind_cursor_walk(libunwind, snapshot, reference, MAX_FRAMES);
    stepped.steps++;
    if (!is_complete)
        stepped.incomplete++;
    if (is_right(count, expected))
        return;
    if (stepped.different++ < 10) {
        fprintf(stderr, "step %lu: pc %lx: %zu frames, libunwind %zu\n", stepped.steps,
                frames[0].address, count, expected);
        for (size_t i = 0; i < count || i < expected; i++)
            fprintf(stderr, "  %lx %lx\n", i < count ? frames[i].address : 0,
                    i < expected ? reference[i].address : 0);
    }
}

/* Changes the flags; 0x100 is the trap flag. */
#define WITH_FLAGS(CHANGE)                                                                         \
    "pushfq\n\t.cfi_adjust_cfa_offset 8\n\t" CHANGE "\n\tpopfq\n\t.cfi_adjust_cfa_offset -8"

OPAQUE static void step_through(void (*function)(void))
{
    __asm__ volatile(WITH_FLAGS("orq $0x100, (%%rsp)")::: "memory", "cc");
    function();
    __asm__ volatile(WITH_FLAGS("andq $~0x100, (%%rsp)")::: "memory", "cc");
}

OPAQUE static void call_library(void)
{
    char text[64];
    sink += (uint64_t)snprintf(text, sizeof(text), "%d %s %g", 17, "text", 1.5);
    sink += strtoul(text, NULL, 10);
    free(calloc(3, 5));
}

OPAQUE static void bind_lazily(void)
{
    sink += (uint64_t)getppid() + (uint64_t)labs(-3) + (uint64_t)lrand48();
}

OPAQUE static void jump(void)
{
    jmp_buf buffer;
    if (setjmp(buffer) == 0) {
        sink++;
        longjmp(buffer, 1);
    }
    sink++;
}

OPAQUE static void raise_signal(void)
{
    interrupted();
    sink++;
}

OPAQUE static void keep_signal(int number)
{
    (void)number;
    sink++;
}

static void nothing_to_do(void *context)
{
    (void)context;
}

OPAQUE static void with_cleanup(void)
{
    pthread_cleanup_push(nothing_to_do, NULL);
    sink += (uint64_t)pthread_self();
    pthread_cleanup_pop(1);
}

static void (*const stepped_functions[])(void) = {
    sort, call_library, bind_lazily, jump, raise_signal, with_cleanup, calls_keeps_old_rsp,
};

START_TEST(at_every_instruction_the_callers_are_those_libunwind_finds)
{
    struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
    struct sigaction keep = { .sa_handler = keep_signal };
    memset(&stepped, 0, sizeof(stepped));
    snapshot_here();
    size_t count = walk_stack();
    ck_assert_uint_gt(count, 3);
    stepped.outermost = frames[count - 2].stack_address;
    sigaction(SIGTRAP, &action, NULL);
    sigaction(SIGUSR1, &keep, NULL);
    step_through(stepped_functions[_i]);
    ck_assert_uint_gt(stepped.steps, 20);
    ck_assert_uint_eq(stepped.different, 0);
    ck_assert_uint_lt(stepped.incomplete, 1 + stepped.steps / 50);
    ck_assert_uint_lt(stepped.reference_lost, 1 + stepped.steps / 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.unwinder_steps");
    TCase *stacks = tcase_create("stacks");
    tcase_add_checked_fixture(stacks, setup, teardown);
    tcase_set_timeout(stacks, 60);
    tcase_add_loop_test(stacks, at_every_instruction_the_callers_are_those_libunwind_finds, 0,
                        sizeof(stepped_functions) / sizeof(stepped_functions[0]));
    suite_add_tcase(suite, stacks);
    return run_suite(suite);
}
