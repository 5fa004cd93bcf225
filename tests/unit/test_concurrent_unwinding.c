/* child-agent.unwinder: threads and signal handlers that unwind at the same time. */
#pragma GCC optimize("omit-frame-pointer")

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "child-agent/unwinding/unwinder.h"
#include "tests/reference/libunwind_cursor.h"
#include "tests/unit/frame_shapes.h"
#include "tests/unit/run_suite.h"

/* One that unwinds a copy of the stack again and again, and knows what comes out. */
struct concurrent_walk {
    const struct snapshot *snapshot;
    struct unwind_frame expected[MAX_FRAMES];
    size_t count;
    uint64_t whole, cut, wrong;
};

static _Atomic bool is_over;

/* One that found another at the tables ends early, which is told; no frame is ever wrong. */
static void walk_and_compare(struct concurrent_walk *in)
{
    struct unwind_frame found[MAX_FRAMES];
    bool is_whole;
    size_t count = unwinder_walk(unwinder, in->snapshot, 0, found, MAX_FRAMES, &is_whole);
    bool is_right = count >= 1 && count <= in->count && (count == in->count || !is_whole);
    for (size_t i = 0; is_right && i < count; i++)
        is_right = found[i].address == in->expected[i].address;
    in->wrong += !is_right;
    in->whole += is_whole;
    in->cut += !is_whole;
}

static void *walk_until_over(void *context)
{
    while (!atomic_load(&is_over))
        walk_and_compare(context);
    return NULL;
}

static void expect_walk_of(struct concurrent_walk *in, const struct snapshot_copy *of)
{
    in->snapshot = &of->snapshot;
    in->count = libunwind_cursor_walk(libunwind, &of->snapshot, in->expected, MAX_FRAMES);
    in->whole = in->cut = in->wrong = 0;
    ck_assert_uint_gt(in->count, 5);
}

static void keep_copy(struct snapshot_copy *out)
{
    memcpy(out, &copy, sizeof(copy));
    out->snapshot.stack = out->stack;
}

START_TEST(threads_unwind_at_once_while_libraries_come_and_go)
{
    enum { ROUNDS = 100 };
    static struct snapshot_copy copies[2];
    static struct concurrent_walk walks[3];
    pthread_t threads[2];
    sort();
    keep_copy(&copies[0]);
    calls_keeps_old_rsp();
    keep_copy(&copies[1]);
    for (int i = 0; i < 3; i++)
        expect_walk_of(&walks[i], &copies[i % 2]);
    atomic_store(&is_over, false);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, walk_until_over, &walks[i]), 0);
    for (int i = 0; i < ROUNDS; i++) {
        void *library = dlopen("libthread_db.so.1", RTLD_LAZY);
        ck_assert_ptr_nonnull(library);
        module_map_changed(modules); /* all rules are forgotten */
        walk_and_compare(&walks[2]);
        ck_assert_int_eq(dlclose(library), 0);
        module_map_changed(modules);
        walk_and_compare(&walks[2]);
    }
    atomic_store(&is_over, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(walks[i].wrong, 0);
        uint64_t whole = walks[i].whole;
        walk_and_compare(&walks[i]);
        ck_assert_uint_eq(walks[i].whole, whole + 1); /* nobody is in the way now */
        ck_assert_uint_eq(walks[i].wrong, 0);
    }
}
END_TEST

static struct concurrent_walk in_handler;
static uint64_t handlers_run;

static void unwind_in_handler(int number)
{
    (void)number;
    handlers_run++;
    walk_and_compare(&in_handler);
}

/* The list is about to change: the tables are somebody's at this moment. */
static bool interrupt_the_reading(uint64_t change_ns, void *context)
{
    (void)change_ns;
    (void)context;
    raise(SIGUSR1);
    return true;
}

START_TEST(a_handler_unwinds_whatever_it_interrupts)
{
    const struct module_events events = { .begin = interrupt_the_reading };
    struct sigaction action = { .sa_handler = unwind_in_handler };
    sort();
    expect_walk_of(&in_handler, &copy);
    sigaction(SIGUSR1, &action, NULL);
    unwinder_destroy(unwinder);
    module_map_destroy(modules);
    ck_assert_int_eq(module_map_create(&events, &modules), 0);
    ck_assert_int_eq(unwinder_create(modules, &unwinder), 0);
    /* In the middle of the first filling there are no rules yet, and none can be made. */
    handlers_run = 0;
    size_t count = walk_stack();
    ck_assert_uint_ge(handlers_run, 1);
    ck_assert_uint_eq(in_handler.cut, handlers_run);
    ck_assert_uint_eq(in_handler.wrong, 0);
    ck_assert(is_complete);
    ck_assert_uint_eq(count, in_handler.count);
    /* Once there are, a handler finds its way by them. */
    module_map_changed(modules);
    handlers_run = 0;
    count = walk_stack();
    ck_assert_uint_eq(handlers_run, 1);
    ck_assert_uint_eq(in_handler.whole, 1);
    ck_assert_uint_eq(in_handler.wrong, 0);
    ck_assert(is_complete);
    assert_same_as_reference(count);
}
END_TEST

/* Rules go with any change of the list. */
static void forget_rules(int round)
{
    static void *library;
    if (round % 2 == 0)
        library = dlopen("libthread_db.so.1", RTLD_LAZY);
    else
        dlclose(library);
    module_map_changed(modules);
}

static void *interrupt_often(void *context)
{
    while (!atomic_load(&is_over)) {
        pthread_kill(*(const pthread_t *)context, SIGUSR1);
        sched_yield();
    }
    return NULL;
}

START_TEST(handlers_at_any_moment_change_nothing)
{
    enum { ROUNDS = 300 };
    static struct concurrent_walk outer;
    struct sigaction action = { .sa_handler = unwind_in_handler };
    pthread_t sender, self = pthread_self();
    sort();
    expect_walk_of(&outer, &copy);
    expect_walk_of(&in_handler, &copy);
    sigaction(SIGUSR1, &action, NULL);
    atomic_store(&is_over, false);
    handlers_run = 0;
    ck_assert_int_eq(pthread_create(&sender, NULL, interrupt_often, &self), 0);
    for (int i = 0; i < ROUNDS || handlers_run < ROUNDS; i++) {
        forget_rules(i);
        walk_and_compare(&outer);
    }
    atomic_store(&is_over, true);
    pthread_join(sender, NULL);
    ck_assert_uint_eq(outer.wrong, 0);
    ck_assert_uint_eq(outer.cut, 0); /* it is the handler that does without */
    ck_assert_uint_eq(in_handler.wrong, 0);
    ck_assert_uint_gt(in_handler.whole, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.concurrent_unwinding");
    TCase *stacks = tcase_create("stacks");
    tcase_add_checked_fixture(stacks, setup, teardown);
    tcase_set_timeout(stacks, 60);
    tcase_add_test(stacks, threads_unwind_at_once_while_libraries_come_and_go);
    tcase_add_test(stacks, a_handler_unwinds_whatever_it_interrupts);
    tcase_add_test(stacks, handlers_at_any_moment_change_nothing);
    suite_add_tcase(suite, stacks);
    return run_suite(suite);
}
