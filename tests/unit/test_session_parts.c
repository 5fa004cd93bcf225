/* daemon.session_parts */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "daemon/session_parts.h"
#include "tests/unit/run_suite.h"

static const struct session_owner user = { SESSION_OWNER_USER, 0 };
static const struct session_owner program = { SESSION_OWNER_PROGRAM, 42 };
static struct session_parts parts;
static struct session_settings coarse, fine, both;

static void set_up(void)
{
    parts.count = 0;
    coarse = (struct session_settings){ .interval_ns = 52000000,
                                        .memory_limit_bytes = 64,
                                        .features = FEATURE_STACKS };
    fine = (struct session_settings){ .interval_ns = 1000000,
                                      .memory_limit_bytes = 32,
                                      .features = FEATURE_MARKERS };
}

static const char *refusal;

static int check_settings(const struct session_owner *owner,
                          const struct session_settings *settings)
{
    return session_parts_check(&parts, owner, settings, &refusal);
}

static void fold_parts(void)
{
    parts.count = 0;
    session_parts_add(&parts, &session_owner_always_on, &coarse, 1);
    session_parts_add(&parts, &user, &fine, 2);
    session_parts_fold(&parts, &both);
}

START_TEST(one_alone_has_what_it_asks_for)
{
    session_parts_add(&parts, &user, &fine, 1);
    session_parts_fold(&parts, &both);
    ck_assert_mem_eq(&both, &fine, sizeof(both));
}
END_TEST

START_TEST(two_have_all_that_either_asks_for)
{
    fold_parts();
    ck_assert_uint_eq(both.interval_ns, 1000000);
    ck_assert_uint_eq(both.memory_limit_bytes, 64);
    ck_assert_uint_eq(both.features, FEATURE_STACKS | FEATURE_MARKERS);
}
END_TEST

START_TEST(the_finer_clock_is_taken)
{
    static const enum sampling_clock cases[][3] = {
        { SAMPLING_CLOCK_AUTO, SAMPLING_CLOCK_AUTO, SAMPLING_CLOCK_AUTO },
        { SAMPLING_CLOCK_AUTO, SAMPLING_CLOCK_PERF, SAMPLING_CLOCK_PERF },
        { SAMPLING_CLOCK_CPU, SAMPLING_CLOCK_PERF, SAMPLING_CLOCK_PERF },
        { SAMPLING_CLOCK_PERF, SAMPLING_CLOCK_CPU, SAMPLING_CLOCK_PERF },
        { SAMPLING_CLOCK_CPU, SAMPLING_CLOCK_AUTO, SAMPLING_CLOCK_CPU },
    };
    coarse.clock = cases[_i][0];
    fine.clock = cases[_i][1];
    fold_parts();
    ck_assert_int_eq(both.clock, cases[_i][2]);
}
END_TEST

START_TEST(threads_that_either_names_are_recorded)
{
    strcpy(coarse.thread_filters, "main");
    strcpy(fine.thread_filters, "worker,io");
    fold_parts();
    ck_assert_str_eq(both.thread_filters, "main,worker,io");
    strcpy(fine.thread_filters, "main");
    fold_parts();
    ck_assert_str_eq(both.thread_filters, "main");
    fine.thread_filters[0] = '\0';
    fold_parts();
    ck_assert_str_eq(both.thread_filters, "");
}
END_TEST

START_TEST(filters_too_long_for_one_list_let_all_threads_through)
{
    memset(coarse.thread_filters, 'a', MESSAGE_MAX_FILTERS / 2);
    memset(fine.thread_filters, 'b', MESSAGE_MAX_FILTERS / 2);
    fold_parts();
    ck_assert_str_eq(both.thread_filters, "");
    fine.thread_filters[MESSAGE_MAX_FILTERS / 2 - 1] = '\0';
    fold_parts();
    ck_assert_uint_eq(strlen(both.thread_filters), MESSAGE_MAX_FILTERS);
}
END_TEST

START_TEST(the_shorter_allocation_interval_is_taken_of_those_that_want_any)
{
    coarse.allocation_interval_bytes = 10;
    coarse.features |= FEATURE_MEMORY; /* which samples none */
    fine.allocation_interval_bytes = 20;
    fine.features |= FEATURE_NATIVEALLOCS;
    fold_parts();
    ck_assert_uint_eq(both.allocation_interval_bytes, 20);
    coarse.features |= FEATURE_NATIVEALLOCS;
    fold_parts();
    ck_assert_uint_eq(both.allocation_interval_bytes, 10);
}
END_TEST

/* 0 is the agents' own, which is 512 KiB. */
START_TEST(an_allocation_interval_that_nobody_says_is_no_shorter_than_one_that_somebody_does)
{
    static const uint64_t cases[][3] = {
        { 0, 1024, 1024 }, { 1024, 0, 1024 }, { 0, 1 << 20, 0 }, { 1 << 20, 0, 0 }, { 0, 0, 0 },
    };
    coarse.features |= FEATURE_NATIVEALLOCS;
    fine.features |= FEATURE_NATIVEALLOCS;
    coarse.allocation_interval_bytes = cases[_i][0];
    fine.allocation_interval_bytes = cases[_i][1];
    fold_parts();
    ck_assert_uint_eq(both.allocation_interval_bytes, cases[_i][2]);
}
END_TEST

START_TEST(a_wall_clock_goes_beside_no_other)
{
    session_parts_add(&parts, &session_owner_always_on, &coarse, 1);
    fine.clock = SAMPLING_CLOCK_WALL;
    ck_assert_int_eq(check_settings(&user, &fine), -EBUSY);
    ck_assert_ptr_nonnull(strstr(refusal, "--clock wall"));
    parts.items[0].settings.clock = SAMPLING_CLOCK_WALL;
    ck_assert_int_eq(check_settings(&user, &fine), 0);
}
END_TEST

START_TEST(an_owner_has_one_and_all_have_two)
{
    ck_assert_int_eq(check_settings(&user, &fine), 0);
    session_parts_add(&parts, &user, &fine, 1);
    ck_assert_int_eq(check_settings(&user, &fine), -EALREADY);
    ck_assert_ptr_nonnull(strstr(refusal, "already active"));
    ck_assert_int_eq(check_settings(&program, &fine), 0);
    session_parts_add(&parts, &program, &fine, 2);
    ck_assert_int_eq(check_settings(&program, &fine), -EALREADY);
    ck_assert_int_eq(check_settings(&session_owner_always_on, &fine), -EBUSY);
    ck_assert_ptr_nonnull(strstr(refusal, "two sessions"));
}
END_TEST

START_TEST(programs_are_told_apart)
{
    const struct session_owner other = { SESSION_OWNER_PROGRAM, 43 };
    session_parts_add(&parts, &program, &fine, 1);
    ck_assert_ptr_null(session_parts_find(&parts, &other));
    ck_assert_int_eq(session_parts_remove(&parts, &other), -ESRCH);
    ck_assert_int_eq(session_parts_remove(&parts, &program), 0);
    ck_assert_uint_eq(parts.count, 0);
}
END_TEST

START_TEST(the_one_that_stays_keeps_its_place)
{
    session_parts_add(&parts, &session_owner_always_on, &coarse, 1);
    session_parts_add(&parts, &user, &fine, 2);
    ck_assert_int_eq(session_parts_remove(&parts, &session_owner_always_on), 0);
    ck_assert_uint_eq(session_parts_find(&parts, &user)->since_ns, 2);
    session_parts_change(&parts, &user, &coarse);
    session_parts_fold(&parts, &both);
    ck_assert_uint_eq(both.interval_ns, 52000000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.session_parts");
    TCase *tests = tcase_create("parts");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, one_alone_has_what_it_asks_for);
    tcase_add_test(tests, two_have_all_that_either_asks_for);
    tcase_add_loop_test(tests, the_finer_clock_is_taken, 0, 5);
    tcase_add_test(tests, threads_that_either_names_are_recorded);
    tcase_add_test(tests, filters_too_long_for_one_list_let_all_threads_through);
    tcase_add_test(tests, the_shorter_allocation_interval_is_taken_of_those_that_want_any);
    tcase_add_loop_test(
        tests, an_allocation_interval_that_nobody_says_is_no_shorter_than_one_that_somebody_does, 0,
        5);
    tcase_add_test(tests, a_wall_clock_goes_beside_no_other);
    tcase_add_test(tests, an_owner_has_one_and_all_have_two);
    tcase_add_test(tests, programs_are_told_apart);
    tcase_add_test(tests, the_one_that_stays_keeps_its_place);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
