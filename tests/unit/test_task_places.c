#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "child-agent/task_places.h"
#include "tests/unit/run_suite.h"

struct making {
    int calls, error;
};

static int make_task(void *argument)
{
    struct making *making = argument;
    making->calls++;
    return making->error;
}

static void expect_one_call(int error)
{
    struct making making = { .error = error };
    ck_assert_int_eq(task_places_make(make_task, &making), error);
    ck_assert_int_eq(making.calls, 1);
}

START_TEST(what_can_be_made_is_made_once)
{
    expect_one_call(0);
}
END_TEST

START_TEST(another_error_is_the_programs)
{
    expect_one_call(EPERM);
}
END_TEST

START_TEST(without_threads_of_ours_there_is_no_place_to_give)
{
    expect_one_call(EAGAIN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("task_places");
    TCase *making = tcase_create("making");
    tcase_add_test(making, what_can_be_made_is_made_once);
    tcase_add_test(making, another_error_is_the_programs);
    tcase_add_test(making, without_threads_of_ours_there_is_no_place_to_give);
    suite_add_tcase(suite, making);
    return run_suite(suite);
}
