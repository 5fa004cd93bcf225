/* daemon.exec_calls */
#include <check.h>
#include <string.h>

#include "daemon/agents/exec_calls.h"
#include "tests/unit/run_suite.h"

static struct exec_calls calls;

static void put_call(pid_t pid, uint64_t time_ns)
{
    const struct exec_call call = { pid, time_ns, 5 * time_ns };
    exec_calls_put(&calls, &call);
}

static void check_taken(pid_t pid, uint64_t time_ns)
{
    struct exec_call call;

    ck_assert(exec_calls_take(&calls, pid, &call));
    ck_assert_int_eq(call.pid, pid);
    ck_assert_uint_eq(call.time_ns, time_ns);
    ck_assert_uint_eq(call.cpu_ns, 5 * time_ns);
}

static void check_none(pid_t pid)
{
    struct exec_call call;
    ck_assert(!exec_calls_take(&calls, pid, &call));
}

static void clear_calls(void)
{
    memset(&calls, 0, sizeof(calls));
}

START_TEST(a_call_is_taken_once)
{
    put_call(10, 100);
    put_call(11, 200);
    check_none(12);
    check_taken(10, 100);
    check_none(10);
    check_taken(11, 200);
}
END_TEST

START_TEST(the_last_call_counts)
{
    put_call(10, 100);
    put_call(10, 300);
    check_taken(10, 300);
}
END_TEST

START_TEST(of_two_with_one_place_the_later_stays)
{
    put_call(10, 100);
    put_call(10 + EXEC_CALLS, 200);
    check_none(10);
    check_taken(10 + EXEC_CALLS, 200);
}
END_TEST

START_TEST(no_process_has_no_call)
{
    check_none(0);
    check_none(-1);
}
END_TEST

START_TEST(a_call_that_is_found_stays)
{
    ck_assert_ptr_null(exec_calls_find(&calls, 0));
    put_call(10, 100);
    ck_assert_ptr_null(exec_calls_find(&calls, 10 + EXEC_CALLS));
    ck_assert_uint_eq(exec_calls_find(&calls, 10)->time_ns, 100);
    check_taken(10, 100);
    ck_assert_ptr_null(exec_calls_find(&calls, 10));
}
END_TEST

START_TEST(earlier_ones_are_forgotten)
{
    put_call(10, 100);
    put_call(11, 200);
    exec_calls_forget_before(&calls, 200);
    check_none(10);
    check_taken(11, 200);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("daemon.exec_calls");
    TCase *calls_case = tcase_create("calls");
    tcase_add_checked_fixture(calls_case, clear_calls, NULL);
    tcase_add_test(calls_case, a_call_is_taken_once);
    tcase_add_test(calls_case, the_last_call_counts);
    tcase_add_test(calls_case, of_two_with_one_place_the_later_stays);
    tcase_add_test(calls_case, no_process_has_no_call);
    tcase_add_test(calls_case, a_call_that_is_found_stays);
    tcase_add_test(calls_case, earlier_ones_are_forgotten);
    suite_add_tcase(suite, calls_case);
    return run_suite(suite);
}
