/* How many lines of one kind a crowd may write. */
#include <check.h>

#include "daemon/log_gate.h"
#include "tests/unit/run_suite.h"

#define SECOND_NS UINT64_C(1000000000)

START_TEST(a_few_lines_a_second_go_through)
{
    struct log_gate gate = { 0 };
    uint64_t held_back;

    for (unsigned i = 0; i < LOG_GATE_LINES; i++) {
        ck_assert(log_gate_opens(&gate, 5 * SECOND_NS + i, &held_back));
        ck_assert_uint_eq(held_back, 0);
    }
    ck_assert(!log_gate_opens(&gate, 5 * SECOND_NS + 100, &held_back));
    ck_assert(!log_gate_opens(&gate, 6 * SECOND_NS - 1, &held_back));
}
END_TEST

START_TEST(what_was_held_back_is_told_once)
{
    struct log_gate gate = { 0 };
    uint64_t held_back;

    for (unsigned i = 0; i < LOG_GATE_LINES + 7; i++)
        (void)log_gate_opens(&gate, 0, &held_back);
    ck_assert(log_gate_opens(&gate, SECOND_NS, &held_back));
    ck_assert_uint_eq(held_back, 7);
    ck_assert(log_gate_opens(&gate, SECOND_NS, &held_back));
    ck_assert_uint_eq(held_back, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.log_gate");
    TCase *tests = tcase_create("gate");
    tcase_add_test(tests, a_few_lines_a_second_go_through);
    tcase_add_test(tests, what_was_held_back_is_told_once);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
