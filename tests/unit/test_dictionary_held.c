/* buffer.dictionary: threads and handlers that put records at the same time. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "tests/unit/dictionary_scene.h"
#include "tests/unit/run_suite.h"

static void *put_often(void *context)
{
    uint32_t index = (uint32_t)(uintptr_t)context;
    for (uint64_t i = 0; i < PUTS; i++)
        if (dictionary_put_thread_name(&dictionary, index, i, "some name") != 0)
            return "refused";
    return NULL;
}

START_TEST(threads_put_whole_records_in_their_own_order)
{
    pthread_t threads[THREADS];
    uint64_t seen[THREADS] = { 0 };
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, put_often, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *problem;
        ck_assert_int_eq(pthread_join(threads[i], &problem), 0);
        ck_assert_ptr_null(problem);
    }
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    while (arena_reader_next_record(reader, &record) == 1) {
        ck_assert_uint_lt(record.index, THREADS);
        ck_assert_uint_eq(record.time_ns, seen[record.index]++);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_uint_eq(seen[i], PUTS);
    arena_reader_close(reader);
}
END_TEST

static void *try_to_hold(void *context)
{
    (void)context;
    if (!dictionary_try_hold(&dictionary))
        return NULL;
    dictionary_release(&dictionary);
    return &dictionary;
}

/* Whether another thread can hold the dictionary at this moment. */
static bool can_be_held(void)
{
    pthread_t thread;
    void *held;
    ck_assert_int_eq(pthread_create(&thread, NULL, try_to_hold, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &held), 0);
    return held != NULL;
}

START_TEST(one_at_a_time_holds_the_dictionary)
{
    ck_assert(dictionary_try_hold(&dictionary));
    ck_assert(!dictionary_try_hold(&dictionary)); /* as a handler that interrupts the holder */
    ck_assert(!can_be_held());
    ck_assert_int_eq(dictionary_put_pause(&dictionary, 1), 0);
    ck_assert(!can_be_held());
    dictionary_release(&dictionary);
    ck_assert(can_be_held());
    ck_assert_int_eq(dictionary_put_resume(&dictionary, 2), 0);
    ck_assert(can_be_held());
}
END_TEST

START_TEST(a_full_dictionary_can_be_held_again)
{
    static char text[STRING_MAX + 1];
    memset(text, 'x', STRING_MAX);
    ck_assert(dictionary_try_hold(&dictionary));
    while (dictionary_put_log(&dictionary, 4, text) == 0)
        continue;
    dictionary_release(&dictionary);
    ck_assert(can_be_held());
}
END_TEST

/* Pairs of records that nobody else's come between. */
static bool put_pair(uint32_t index, uint64_t *pairs)
{
    if (!dictionary_try_hold(&dictionary))
        return false;
    if (dictionary_put_thread_name(&dictionary, index, 2 * *pairs, "first") == 0 &&
        dictionary_put_thread_name(&dictionary, index, 2 * *pairs + 1, "second") == 0)
        ++*pairs;
    dictionary_release(&dictionary);
    return true;
}

enum { PAIRS_OF_THREAD = THREADS, PAIRS_OF_HANDLER, INTERRUPTS = 500 };

static uint64_t pairs_of_handler;
static _Atomic int handled;
static _Atomic bool is_over;

static void on_interrupt(int number)
{
    (void)number;
    put_pair(PAIRS_OF_HANDLER, &pairs_of_handler);
    atomic_fetch_add(&handled, 1);
}

static void *interrupt_often(void *context)
{
    for (int sent = 0; sent < INTERRUPTS; sent++) {
        pthread_kill(*(const pthread_t *)context, SIGUSR1);
        while (atomic_load(&handled) <= sent)
            sched_yield();
    }
    atomic_store(&is_over, true);
    return NULL;
}

/* How many pairs of INDEX there are; each is whole, and in order. */
static uint64_t count_pairs(uint32_t index)
{
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    uint64_t found = 0;
    bool is_inside = false;
    while (arena_reader_next_record(reader, &record) == 1) {
        ck_assert(!is_inside || record.index == index);
        if (record.index != index)
            continue;
        ck_assert_uint_eq(record.time_ns, found++);
        is_inside = found % 2 == 1;
    }
    ck_assert(!is_inside);
    arena_reader_close(reader);
    return found / 2;
}

START_TEST(nothing_comes_between_what_a_holder_puts)
{
    pthread_t other, sender, self = pthread_self();
    struct sigaction action = { .sa_handler = on_interrupt };
    uint64_t put = 0, pairs = 0;
    sigaction(SIGUSR1, &action, NULL);
    ck_assert_int_eq(pthread_create(&other, NULL, put_often, NULL), 0);
    ck_assert_int_eq(pthread_create(&sender, NULL, interrupt_often, &self), 0);
    /* Put and hold in turn: handlers interrupt both. */
    while (!atomic_load(&is_over)) {
        if (put < PUTS)
            ck_assert_int_eq(dictionary_put_thread_name(&dictionary, 1, put++, "some name"), 0);
        if (pairs < PUTS)
            put_pair(PAIRS_OF_THREAD, &pairs);
    }
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert_int_eq(pthread_join(sender, NULL), 0);
    ck_assert_uint_gt(pairs, 0);
    ck_assert_uint_gt(pairs_of_handler, 0);
    ck_assert_uint_eq(count_pairs(PAIRS_OF_THREAD), pairs);
    ck_assert_uint_eq(count_pairs(PAIRS_OF_HANDLER), pairs_of_handler);
    struct arena_reader *reader = open_reader();
    struct arena_record record;
    struct arena_info info;
    uint64_t records = 0;
    while (arena_reader_next_record(reader, &record) == 1)
        records++;
    arena_reader_info(reader, &info);
    arena_reader_close(reader);
    ck_assert_uint_eq(info.bad_records, 0);
    ck_assert_uint_eq(records, PUTS + put + 2 * (pairs + pairs_of_handler));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buffer.dictionary_held");
    TCase *tests = tcase_create("dictionary");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, threads_put_whole_records_in_their_own_order);
    suite_add_tcase(suite, tests);

    TCase *held = tcase_create("held");
    tcase_add_checked_fixture(held, set_up, tear_down);
    tcase_set_timeout(held, 60);
    tcase_add_test(held, one_at_a_time_holds_the_dictionary);
    tcase_add_test(held, a_full_dictionary_can_be_held_again);
    tcase_add_test(held, nothing_comes_between_what_a_holder_puts);
    suite_add_tcase(suite, held);
    return run_suite(suite);
}
