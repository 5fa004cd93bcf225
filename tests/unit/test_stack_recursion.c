/* profctl.report.stack_recursion */
#include <check.h>
#include <string.h>

#include "json/unique_strings.h"
#include "profctl/report/stack_recursion.h"
#include "tests/unit/run_suite.h"

static struct thread_tables tables;

/* A stack called from PREFIX; its function is the test's. */
static void add_stack(uint32_t prefix)
{
    const struct table_node node = { .location = "f", .length = 1, .prefix = prefix };

    ck_assert_int_eq(thread_tables_add_node(&tables, &node), 0);
}

static void free_tables(void)
{
    thread_tables_free(&tables);
}

/* main calls work, which calls itself by way of help; main calls help, too. In the order in which
 * samples may meet them, so that no branch is in one piece. */
START_TEST(a_call_below_the_same_function_is_recursion)
{
    enum { MAIN, WORK, HELP, FUNCTIONS };
    const uint32_t functions[] = { MAIN, WORK, HELP, HELP, WORK, HELP, WORK };
    const uint32_t prefixes[] = { TABLE_NONE, 0, 0, 1, 3, 4, 2 };
    const bool expected[] = { false, false, false, false, true, true, false };
    bool is_recursion[sizeof(expected)];

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        add_stack(prefixes[i]);
    ck_assert_int_eq(stack_recursion_mark(&tables, functions, FUNCTIONS, is_recursion), 0);
    ck_assert_mem_eq(is_recursion, expected, sizeof(expected));
}
END_TEST

START_TEST(each_root_begins_anew)
{
    const uint32_t functions[] = { 0, 0, 0 };
    const bool expected[] = { false, false, true };
    bool is_recursion[sizeof(expected)];

    add_stack(TABLE_NONE);
    add_stack(TABLE_NONE);
    add_stack(1);
    ck_assert_int_eq(stack_recursion_mark(&tables, functions, 1, is_recursion), 0);
    ck_assert_mem_eq(is_recursion, expected, sizeof(expected));
}
END_TEST

START_TEST(what_has_no_function_is_no_recursion)
{
    const uint32_t functions[] = { UNIQUE_NONE, UNIQUE_NONE };
    const bool expected[] = { false, false };
    bool is_recursion[] = { true, true };

    add_stack(TABLE_NONE);
    add_stack(0);
    ck_assert_int_eq(stack_recursion_mark(&tables, functions, 0, is_recursion), 0);
    ck_assert_mem_eq(is_recursion, expected, sizeof(expected));
}
END_TEST

START_TEST(there_may_be_no_stacks)
{
    ck_assert_int_eq(stack_recursion_mark(&tables, NULL, 0, NULL), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.report.stack_recursion");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, NULL, free_tables);
    tcase_add_test(tests, a_call_below_the_same_function_is_recursion);
    tcase_add_test(tests, each_root_begins_anew);
    tcase_add_test(tests, what_has_no_function_is_no_recursion);
    tcase_add_test(tests, there_may_be_no_stacks);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
