#include <check.h>

#include "daemon/triggers/cpu_watch.h"
#include "tests/unit/run_suite.h"

#define S UINT64_C(1000000000)

static const struct trigger_cpu rule = { .percent = 80, .within_ns = 2 * S };
static struct cpu_watch watch;

static void tear_down(void)
{
    cpu_watch_free(&watch);
}

static bool note_use(pid_t pid, uint64_t start_ns, uint64_t cpu_ns, uint64_t now_ns)
{
    bool is_too_much;
    ck_assert_int_eq(cpu_watch_note(&watch, &rule, pid, start_ns, cpu_ns, now_ns, &is_too_much), 0);
    return is_too_much;
}

/* A look at one process. */
static bool look_at_process(uint64_t cpu_ns, uint64_t now_ns)
{
    bool is_too_much = note_use(7, 1, cpu_ns, now_ns);
    cpu_watch_end_look(&watch);
    return is_too_much;
}

START_TEST(who_uses_more_over_the_while_is_told)
{
    ck_assert(!look_at_process(100 * S, 10 * S));
    ck_assert(!look_at_process(101 * S, 11 * S));
    ck_assert(look_at_process(102 * S, 12 * S));
}
END_TEST

START_TEST(a_while_is_an_average)
{
    ck_assert(!look_at_process(100 * S, 10 * S));
    ck_assert(!look_at_process(101 * S, 11 * S));
    ck_assert(!look_at_process(101 * S, 12 * S)); /* half of one */
    ck_assert(!look_at_process(102 * S, 13 * S));
    ck_assert(look_at_process(103 * S, 14 * S));
}
END_TEST

START_TEST(exactly_so_much_is_allowed)
{
    ck_assert(!look_at_process(0, 10 * S));
    ck_assert(!look_at_process(2 * S * 8 / 10, 12 * S));
    ck_assert(look_at_process(2 * S * 8 / 10 * 2 + 100, 14 * S));
}
END_TEST

START_TEST(another_process_of_the_number_begins_anew)
{
    ck_assert(!look_at_process(0, 10 * S));
    cpu_watch_end_look(&watch);
    ck_assert(!note_use(7, 2, 2 * S, 12 * S));
    cpu_watch_end_look(&watch);
    ck_assert(!note_use(7, 2, S, 14 * S));
}
END_TEST

START_TEST(who_was_not_seen_is_forgotten)
{
    for (pid_t pid = 1; pid <= 1000; pid++)
        note_use(pid, 1, 0, 10 * S);
    cpu_watch_end_look(&watch);
    for (pid_t pid = 1000; pid > 500; pid--)
        ck_assert_int_eq(note_use(pid, 1, pid % 2 == 0 ? 2 * S : 0, 12 * S), pid % 2 == 0);
    cpu_watch_end_look(&watch);
    ck_assert_uint_eq(watch.count, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.cpu_watch");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, NULL, tear_down);
    tcase_add_test(all, who_uses_more_over_the_while_is_told);
    tcase_add_test(all, a_while_is_an_average);
    tcase_add_test(all, exactly_so_much_is_allowed);
    tcase_add_test(all, another_process_of_the_number_begins_anew);
    tcase_add_test(all, who_was_not_seen_is_forgotten);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
