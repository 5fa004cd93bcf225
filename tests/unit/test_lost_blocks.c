/* Each block that a process lost is counted once. */
#include <check.h>

#include "profctl/export/lost_blocks.h"
#include "tests/unit/run_suite.h"

enum { PID = 7, OTHER = 8, SESSION_NS = 1 };

static struct lost_blocks losses;

static void set_up(void)
{
    losses = (struct lost_blocks){ 0 };
}

static void tear_down(void)
{
    lost_blocks_free(&losses);
}

/* Ranges are [100, 200), [200, 300) … */
static struct rests_range range_of(int number)
{
    return (struct rests_range){ SESSION_NS, 100 * (int64_t)number, 100 * (int64_t)number + 100 };
}

static uint64_t settle_in(const struct rests_range *range, const struct losing_process *processes,
                          size_t count)
{
    struct mapped_array all = { 0 };
    uint64_t grown;

    for (size_t i = 0; i < count; i++) {
        struct losing_process *place = mapped_array_push(&all, sizeof(*place));
        ck_assert_ptr_nonnull(place);
        *place = processes[i];
    }
    ck_assert_int_eq(lost_blocks_settle(&losses, range, &all, &grown), 0);
    mapped_array_free(&all);
    return grown;
}

static uint64_t counted_in(int number, const struct losing_process *processes, size_t count)
{
    const struct rests_range range = range_of(number);
    uint64_t grown = settle_in(&range, processes, count);

    lost_blocks_keep(&losses);
    return grown;
}

START_TEST(what_a_process_lost_is_counted_as_it_grows)
{
    struct losing_process process = { PID, 150, 3 };

    ck_assert_uint_eq(counted_in(1, &process, 1), 3);
    ck_assert_uint_eq(counted_in(2, &process, 1), 0);
    process.blocks = 5;
    ck_assert_uint_eq(counted_in(3, &process, 1), 2);
}
END_TEST

START_TEST(one_that_leaves_hides_nothing)
{
    struct losing_process processes[] = { { PID, 150, 100 }, { OTHER, 160, 0 } };

    ck_assert_uint_eq(counted_in(1, processes, 2), 100);
    processes[1].blocks = 7;
    ck_assert_uint_eq(counted_in(2, &processes[1], 1), 7);
}
END_TEST

START_TEST(one_that_returns_is_not_counted_again)
{
    struct losing_process processes[] = { { OTHER, 160, 1 }, { PID, 150, 100 } };

    ck_assert_uint_eq(counted_in(1, processes, 2), 101);
    ck_assert_uint_eq(counted_in(2, processes, 1), 0);
    ck_assert_uint_eq(counted_in(3, NULL, 0), 0);
    processes[1].blocks++;
    ck_assert_uint_eq(counted_in(4, processes, 2), 1);
}
END_TEST

START_TEST(history_is_not_counted)
{
    struct losing_process process = { PID, 50, 100 };

    ck_assert_uint_eq(counted_in(1, &process, 1), 0);
    process.blocks++;
    ck_assert_uint_eq(counted_in(2, &process, 1), 1);
}
END_TEST

START_TEST(a_pid_that_was_used_again_is_another_process)
{
    const struct losing_process processes[] = { { PID, 150, 5 }, { PID, 250, 5 } };

    ck_assert_uint_eq(counted_in(1, &processes[0], 1), 5);
    ck_assert_uint_eq(counted_in(2, processes, 2), 5);
}
END_TEST

START_TEST(what_was_not_lost_after_all_is_not_counted_twice)
{
    struct losing_process process = { PID, 150, 3 };

    ck_assert_uint_eq(counted_in(1, &process, 1), 3);
    process.blocks = 0;
    ck_assert_uint_eq(counted_in(2, &process, 1), 0);
    process.blocks = 3;
    ck_assert_uint_eq(counted_in(3, &process, 1), 0);
}
END_TEST

START_TEST(accounts_begin_anew_with_a_session)
{
    const struct losing_process process = { PID, 150, 3 };
    struct rests_range range = range_of(2);

    ck_assert_uint_eq(counted_in(1, &process, 1), 3);
    range.session_ns = 210;
    ck_assert_uint_eq(settle_in(&range, &process, 1), 3);
}
END_TEST

START_TEST(a_range_that_failed_is_counted_when_it_is_asked_for_again)
{
    const struct rests_range range = range_of(1);
    const struct losing_process process = { PID, 150, 3 };

    ck_assert_uint_eq(settle_in(&range, &process, 1), 3);
    ck_assert_uint_eq(counted_in(1, &process, 1), 3);
}
END_TEST

START_TEST(who_is_long_gone_is_forgotten)
{
    const struct losing_process process = { PID, 150, 3 };
    struct rests_range range = range_of(1);

    ck_assert_uint_eq(counted_in(1, &process, 1), 3);
    range.to_ns += INT64_C(3600) * 1000000000;
    (void)settle_in(&range, NULL, 0);
    ck_assert_uint_eq(losses.next.count, 0);
}
END_TEST

START_TEST(a_profile_says_what_a_process_lost)
{
    struct mapped_array processes = { 0 };
    struct process_log log;

    process_log_init(&log);
    ck_assert_int_eq(lost_blocks_note(&log, 1000, &processes), 0);
    ck_assert_uint_eq(processes.count, 0);
    log.pid = PID;
    log.start_ms = 0.5;
    log.lost_blocks = 2;
    ck_assert_int_eq(lost_blocks_note(&log, 1000, &processes), 0);
    ck_assert_uint_eq(processes.count, 1);
    const struct losing_process *process = processes.items;
    ck_assert_int_eq(process->start_ns, 501000);
    ck_assert_uint_eq(process->blocks, 2);
    mapped_array_free(&processes);
    process_log_free(&log);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profctl.lost_blocks");
    TCase *tests = tcase_create("losses");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, what_a_process_lost_is_counted_as_it_grows);
    tcase_add_test(tests, one_that_leaves_hides_nothing);
    tcase_add_test(tests, one_that_returns_is_not_counted_again);
    tcase_add_test(tests, history_is_not_counted);
    tcase_add_test(tests, a_pid_that_was_used_again_is_another_process);
    tcase_add_test(tests, what_was_not_lost_after_all_is_not_counted_twice);
    tcase_add_test(tests, accounts_begin_anew_with_a_session);
    tcase_add_test(tests, a_range_that_failed_is_counted_when_it_is_asked_for_again);
    tcase_add_test(tests, who_is_long_gone_is_forgotten);
    tcase_add_test(tests, a_profile_says_what_a_process_lost);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
