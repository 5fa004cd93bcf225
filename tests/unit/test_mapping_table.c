/* What is mapped, with parts cut out. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "child-agent/allocations/mapping_table.h"
#include "tests/unit/run_suite.h"

enum { PLACES = 512, STEPS = 20000 };

static struct mapping_table table;

static void set_up(void)
{
    table.count = 0;
}

static void expect_range(size_t index, uint64_t start, uint64_t end)
{
    ck_assert_uint_lt(index, table.count);
    ck_assert_uint_eq(table.ranges[index].start, start);
    ck_assert_uint_eq(table.ranges[index].end, end);
}

START_TEST(ranges_that_touch_become_one)
{
    ck_assert(mapping_table_put(&table, 10, 20));
    ck_assert(mapping_table_put(&table, 30, 40));
    ck_assert_uint_eq(table.count, 2);
    ck_assert(mapping_table_put(&table, 20, 30));
    ck_assert_uint_eq(table.count, 1);
    expect_range(0, 10, 40);
}
END_TEST

START_TEST(a_hole_makes_two_of_one)
{
    ck_assert(mapping_table_put(&table, 10, 40));
    ck_assert_uint_eq(mapping_table_take(&table, 20, 30), 10);
    ck_assert_uint_eq(mapping_table_take(&table, 20, 30), 0);
    expect_range(0, 10, 20);
    expect_range(1, 30, 40);
    ck_assert(mapping_table_has(&table, 19) && !mapping_table_has(&table, 20));
    ck_assert(!mapping_table_has(&table, 29) && mapping_table_has(&table, 30));
    /* Over the ends of both, and what is between. */
    ck_assert_uint_eq(mapping_table_take(&table, 15, 35), 10);
    expect_range(0, 10, 15);
    expect_range(1, 35, 40);
    ck_assert_uint_eq(mapping_table_take(&table, 0, 100), 10);
    ck_assert_uint_eq(table.count, 0);
}
END_TEST

/* Check writes down the place of every claim, which takes longer than a look at the table. */
static bool agrees_with(const uint8_t model[PLACES])
{
    for (size_t i = 0; i < PLACES; i++)
        if (mapping_table_has(&table, i) != model[i])
            return false;
    return true;
}

static bool is_in_order(void)
{
    for (size_t i = 1; i < table.count; i++)
        if (table.ranges[i - 1].end >= table.ranges[i].start)
            return false;
    return true;
}

/* A byte for each address is the model. */
START_TEST(agrees_with_a_model)
{
    static uint8_t model[PLACES];
    memset(model, 0, sizeof(model));
    srand(1);
    for (int step = 0; step < STEPS; step++) {
        uint64_t start = (uint64_t)rand() % PLACES, bytes = 1 + (uint64_t)rand() % 40, had = 0;
        uint64_t end = start + bytes < PLACES ? start + bytes : PLACES;
        bool is_put = rand() % 2 == 0;
        for (uint64_t i = start; i < end; i++)
            had += model[i];
        memset(model + start, is_put, end - start);
        ck_assert_uint_eq(mapping_table_take(&table, start, end), had);
        ck_assert(!is_put || mapping_table_put(&table, start, end));
        ck_assert_msg(agrees_with(model), "after step %d", step);
        ck_assert_msg(is_in_order(), "after step %d", step);
    }
}
END_TEST

START_TEST(a_full_table_refuses_and_says_what_it_loses)
{
    for (uint64_t i = 0; i < MAPPING_TABLE_MOST; i++)
        ck_assert(mapping_table_put(&table, i * 100, i * 100 + 50));
    ck_assert(!mapping_table_put(&table, 60, 90));
    ck_assert(mapping_table_put(&table, 50, 60)); /* that needs no room */
    ck_assert_uint_eq(mapping_table_take(&table, 10, 20), 50);
    expect_range(0, 0, 10);
    expect_range(1, 100, 150);
    ck_assert_uint_eq(table.count, MAPPING_TABLE_MOST);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.mapping_table");
    TCase *tcase = tcase_create("table");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, ranges_that_touch_become_one);
    tcase_add_test(tcase, a_hole_makes_two_of_one);
    tcase_add_test(tcase, agrees_with_a_model);
    tcase_add_test(tcase, a_full_table_refuses_and_says_what_it_loses);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
