/* daemon.age_heap: the oldest comes first, whatever comes, changes and goes. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "daemon/memory/age_heap.h"
#include "daemon/memory/memory_controller.h"
#include "tests/unit/run_suite.h"

enum { SOURCES = 200, STEPS = 20000 };

static struct age_heap heap;
static struct memory_source sources[SOURCES];
static uint64_t ages[SOURCES]; /* 0: not in */

static void set_up(void)
{
    heap = (struct age_heap){ 0 };
    ck_assert_int_eq(age_heap_reserve(&heap, SOURCES), 0);
    for (int i = 0; i < SOURCES; i++)
        sources[i].heap_position = AGE_HEAP_NOWHERE;
}

static void tear_down(void)
{
    age_heap_free(&heap);
    ck_assert_uint_eq(heap.count, 0);
}

static void put_source(int number, uint64_t done_ns)
{
    age_heap_put(&heap, &sources[number], done_ns);
    ages[number] = done_ns;
}

static void take_out(int number)
{
    age_heap_take_out(&heap, &sources[number]);
    ages[number] = 0;
}

/* All that are in know where they are, and none of them is older than the one above it. */
static void check_all(void)
{
    size_t count = 0;

    for (int i = 0; i < SOURCES; i++) {
        uint32_t position = sources[i].heap_position;
        if (ages[i] == 0) {
            ck_assert_uint_eq(position, AGE_HEAP_NOWHERE);
            continue;
        }
        count++;
        ck_assert_uint_lt(position, heap.count);
        ck_assert_ptr_eq(heap.entries[position].source, &sources[i]);
        ck_assert_uint_eq(heap.entries[position].done_ns, ages[i]);
        ck_assert_uint_le(heap.entries[(position - (position > 0)) / 2].done_ns, ages[i]);
    }
    ck_assert_uint_eq(heap.count, count);
}

START_TEST(an_empty_one_has_no_oldest)
{
    ck_assert_ptr_null(age_heap_oldest(&heap));
    age_heap_take_out(&heap, &sources[0]);
    ck_assert_uint_eq(heap.count, 0);
}
END_TEST

START_TEST(they_leave_in_the_order_of_their_age)
{
    for (int i = 0; i < SOURCES; i++)
        put_source(i, 1 + (uint64_t)(i * 67 % SOURCES));
    for (uint64_t age = 1; age <= SOURCES; age++) {
        struct memory_source *oldest = age_heap_oldest(&heap);
        ck_assert_uint_eq(ages[oldest - sources], age);
        take_out((int)(oldest - sources));
    }
    ck_assert_ptr_null(age_heap_oldest(&heap));
}
END_TEST

START_TEST(one_that_becomes_older_or_newer_moves)
{
    put_source(0, 10);
    put_source(1, 20);
    put_source(2, 30);
    put_source(2, 5);
    ck_assert_ptr_eq(age_heap_oldest(&heap), &sources[2]);
    put_source(2, 15);
    ck_assert_ptr_eq(age_heap_oldest(&heap), &sources[0]);
    check_all();
}
END_TEST

START_TEST(whatever_comes_changes_and_goes_each_knows_its_place)
{
    srand(1);
    for (int step = 0; step < STEPS; step++) {
        int number = rand() % SOURCES;
        if (rand() % 3 == 0)
            take_out(number);
        else
            put_source(number, 1 + (uint64_t)(rand() % 50));
        if (step % 100 == 0)
            check_all();
    }
    check_all();
}
END_TEST

START_TEST(room_grows_and_keeps_who_is_in)
{
    put_source(3, 7);
    ck_assert_int_eq(age_heap_reserve(&heap, SOURCES * 10), 0);
    ck_assert_uint_ge(heap.capacity, SOURCES * 10);
    ck_assert_ptr_eq(age_heap_oldest(&heap), &sources[3]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("age_heap");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, an_empty_one_has_no_oldest);
    tcase_add_test(all, they_leave_in_the_order_of_their_age);
    tcase_add_test(all, one_that_becomes_older_or_newer_moves);
    tcase_add_test(all, whatever_comes_changes_and_goes_each_knows_its_place);
    tcase_add_test(all, room_grows_and_keeps_who_is_in);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
