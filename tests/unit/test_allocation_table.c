#include <check.h>
#include <pthread.h>
#include <stdlib.h>

#include "child-agent/allocations/allocation_table.h"
#include "tests/unit/run_suite.h"

enum {
    ADDRESSES = 4000,
    THREADS = 4,
    ROUNDS = 200000,
    SAMPLED_EACH = 10923, /* addresses, as every 512 KB */
};

static struct allocation_table *table;

static void set_up(void)
{
    table = calloc(1, sizeof(*table));
    ck_assert_ptr_nonnull(table);
}

static void tear_down(void)
{
    free(table);
}

static void *address_of(uint64_t number)
{
    return (void *)(0x7f0000001000 + number * 48); /* NOLINT: never looked at */
}

static bool put_allocation(uint64_t number, int64_t weight, uint32_t generation)
{
    struct sampled_allocation facts = { .weight = weight, .generation = generation };
    return allocation_table_put(table, address_of(number), &facts);
}

START_TEST(what_was_put_in_is_taken_out_once)
{
    struct sampled_allocation out;
    for (int i = 0; i < ADDRESSES; i++)
        ck_assert(put_allocation((uint64_t)i, i, 1));
    for (int i = 0; i < ADDRESSES; i++) {
        ck_assert(allocation_filter_has(&table->filter, address_of((uint64_t)i)));
        ck_assert(allocation_table_take(table, address_of((uint64_t)i), &out));
        ck_assert_int_eq(out.weight, i);
        ck_assert(!allocation_table_take(table, address_of((uint64_t)i), &out));
    }
    for (size_t i = 0; i < sizeof(table->filter); i++)
        ck_assert_uint_eq(table->filter[i], 0);
}
END_TEST

START_TEST(most_of_the_others_are_told_apart_by_the_filter)
{
    int mistaken = 0;
    for (int i = 0; i < 1000; i++)
        ck_assert(put_allocation((uint64_t)i * SAMPLED_EACH, 1, 1));
    for (int i = 0; i < 100000; i++)
        mistaken +=
            allocation_filter_has(&table->filter, address_of(UINT64_C(1) << 20 | (uint64_t)i));
    ck_assert_int_lt(mistaken, 10000);
}
END_TEST

START_TEST(a_full_bucket_refuses_and_loses_nothing)
{
    struct sampled_allocation out;
    uint64_t kept = 0;
    while (put_allocation(kept, (int64_t)kept, 1))
        kept++;
    ck_assert_uint_gt(kept, 10000);
    ck_assert(!allocation_table_take(table, address_of(kept), &out));
    for (uint64_t i = 0; i < kept; i++)
        ck_assert(allocation_table_take(table, address_of(i), &out));
}
END_TEST

START_TEST(what_is_left_of_another_recording_makes_room)
{
    struct sampled_allocation out;
    for (int round = 0; round < 3; round++)
        for (uint64_t i = 0; i < 60000; i++)
            (void)put_allocation(i, 1, 1);
    for (uint64_t i = 0; i < 5000; i++)
        ck_assert(put_allocation(1000000 + i, 5, 2));
    /* The same address again is a new allocation: the end of the old one was not seen. */
    ck_assert(put_allocation(1000000, 6, 2));
    ck_assert(allocation_table_take(table, address_of(1000000), &out));
    ck_assert_int_eq(out.weight, 6);
    ck_assert(!allocation_table_take(table, address_of(1000000), &out));
}
END_TEST

/* Each has addresses of its own, as threads that allocate do, in buckets that all share. */
static void *put_and_take(void *argument)
{
    uint64_t first = (uint64_t)(size_t)argument;
    struct sampled_allocation out;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t number = first + (uint64_t)(i % 1000) * THREADS;
        if (!put_allocation(number, i, 1) ||
            !allocation_table_take(table, address_of(number), &out) || out.weight != i)
            return "lost";
    }
    return NULL;
}

START_TEST(threads_do_not_lose_each_others)
{
    pthread_t threads[THREADS];
    void *result;
    for (size_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, put_and_take, (void *)i), 0);
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_join(threads[i], &result), 0);
        ck_assert_ptr_null(result);
    }
    for (size_t i = 0; i < sizeof(table->filter); i++)
        ck_assert_uint_eq(table->filter[i], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.allocation_table");
    TCase *tcase = tcase_create("table");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, what_was_put_in_is_taken_out_once);
    tcase_add_test(tcase, most_of_the_others_are_told_apart_by_the_filter);
    tcase_add_test(tcase, a_full_bucket_refuses_and_loses_nothing);
    tcase_add_test(tcase, what_is_left_of_another_recording_makes_room);
    tcase_add_test(tcase, threads_do_not_lose_each_others);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
