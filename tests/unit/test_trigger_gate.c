/* When what happened is captured. */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "daemon/triggers/trigger_gate.h"
#include "tests/unit/run_suite.h"

static struct trigger_gate gate;

static void empty_gate(void)
{
    memset(&gate, 0, sizeof(gate));
}

START_TEST(one_capture_at_a_time)
{
    ck_assert(trigger_gate_happened(&gate, "a", 1, 1, false, 10));
    ck_assert(trigger_gate_happened(&gate, "b", 2, 1, false, 11));
    ck_assert(trigger_gate_begin(&gate, 12));
    ck_assert_str_eq(gate.current.name, "a");
    ck_assert(!trigger_gate_begin(&gate, 12));
    trigger_gate_end(&gate);
    ck_assert(trigger_gate_begin(&gate, 13));
    ck_assert_str_eq(gate.current.name, "b");
}
END_TEST

START_TEST(one_cause_waits_for_the_gap)
{
    ck_assert(trigger_gate_happened(&gate, "a", 1, 1, false, 10));
    ck_assert(trigger_gate_begin(&gate, 10));
    trigger_gate_end(&gate);
    ck_assert(trigger_gate_happened(&gate, "a", 1, 1, false, 11));
    ck_assert(!trigger_gate_begin(&gate, 12));
    ck_assert_uint_eq(trigger_gate_due_ns(&gate), 10 + TRIGGER_GAP_NS);
    ck_assert(trigger_gate_begin(&gate, 10 + TRIGGER_GAP_NS));
}
END_TEST

START_TEST(who_asks_does_not_wait)
{
    ck_assert(trigger_gate_happened(&gate, "a", 0, 1, true, 10));
    ck_assert(trigger_gate_begin(&gate, 10));
    trigger_gate_end(&gate);
    ck_assert(trigger_gate_happened(&gate, "a", 0, 1, true, 11));
    ck_assert(trigger_gate_begin(&gate, 11));
}
END_TEST

START_TEST(what_joins_is_counted)
{
    ck_assert(trigger_gate_happened(&gate, "a", 1, 3, false, 10));
    ck_assert(trigger_gate_happened(&gate, "a", 2, 2, false, 11));
    ck_assert_uint_eq(gate.joined, 4);
    ck_assert(trigger_gate_begin(&gate, 12));
    ck_assert_uint_eq(gate.current.count, 5);
    ck_assert_int_eq(gate.current.pid, 1);
}
END_TEST

START_TEST(what_finds_no_place_is_counted)
{
    char name[] = "a";

    for (int i = 0; i < TRIGGER_CAUSES; i++, name[0]++)
        ck_assert(trigger_gate_happened(&gate, name, 1, 1, false, 10));
    ck_assert(!trigger_gate_happened(&gate, "another", 1, 2, false, 10));
    ck_assert_uint_eq(gate.lost, 2);
}
END_TEST

static const struct {
    uint64_t last_ms, waited_ns, reach_ms;
} reaches[] = {
    { 0, 0, 0 },          { 10000, 0, 10000 }, { 10000, 1, 10001 }, { 10000, 3500000000, 13500 },
    { 0, 3500000000, 0 }, { 10000000, 0, 0 }, /* longer than the machine has been up */
};

/* What waits for its capture does not lose what led to it. */
START_TEST(a_capture_reaches_back_from_its_cause)
{
    uint64_t happened_ns = UINT64_C(1000000000000);
    uint64_t now_ns = happened_ns + reaches[_i].waited_ns;

    ck_assert(trigger_gate_happened(&gate, "a", 1, 1, false, happened_ns));
    ck_assert(trigger_gate_begin(&gate, now_ns));
    ck_assert_uint_eq(trigger_gate_reach_ms(&gate.current, reaches[_i].last_ms, now_ns),
                      reaches[_i].reach_ms);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.trigger_gate");
    TCase *claims = tcase_create("claims");

    tcase_add_checked_fixture(claims, empty_gate, NULL);
    tcase_add_test(claims, one_capture_at_a_time);
    tcase_add_test(claims, one_cause_waits_for_the_gap);
    tcase_add_test(claims, who_asks_does_not_wait);
    tcase_add_test(claims, what_joins_is_counted);
    tcase_add_test(claims, what_finds_no_place_is_counted);
    tcase_add_loop_test(claims, a_capture_reaches_back_from_its_cause, 0,
                        (int)(sizeof(reaches) / sizeof(reaches[0])));
    suite_add_tcase(suite, claims);
    return run_suite(suite);
}
