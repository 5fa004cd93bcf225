/* child-agent.census_unasked */
#include <check.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buffer/census_ring.h"
#include "buffer/clock.h"
#include "child-agent/census_unasked.h"
#include "child-agent/core.h"
#include "tests/unit/run_suite.h"

static struct census_ring ring;

static void await_success(pid_t child)
{
    int status;
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

START_TEST(without_a_ring_nobody_is_told)
{
    ck_assert_ptr_null(census_unasked_ring());
    census_unasked_begin(NULL);
    ck_assert_ptr_null(census_unasked_ring());
}
END_TEST

START_TEST(a_process_knows_itself_and_its_parent)
{
    census_unasked_begin(&ring);
    ck_assert_ptr_eq(census_unasked_ring(), &ring);
    ck_assert_int_eq(census_unasked_caller_of("/bin/true").number, getpid());
    ck_assert_int_eq(census_unasked_parent_of(getpid()), getppid());
    ck_assert_int_eq(census_unasked_parent_of(getpid() + 1), getpid());
}
END_TEST

START_TEST(a_forked_child_is_another_process)
{
    census_unasked_begin(&ring);
    census_unasked_before_fork();
    pid_t parent = getpid(), child = fork();
    if (child == 0)
        exit(census_unasked_begin_child().number != getpid() ||
             census_unasked_parent_of(getpid()) != parent || census_unasked_ring() != &ring);
    await_success(child);
    ck_assert_int_eq(census_unasked_parent_of(child), parent);
}
END_TEST

START_TEST(who_may_not_ask_does_not_know_who_calls)
{
    census_unasked_begin(&ring);
    ck_assert(census_unasked_may_call());
    census_unasked_forgo_calls();
    ck_assert(!census_unasked_may_call());
    ck_assert_int_eq(census_unasked_caller_of("/bin/true").number, 0);
    census_unasked_before_fork();
    pid_t child = fork();
    if (child == 0)
        exit(census_unasked_begin_child().number != getpid());
    await_success(child);
}
END_TEST

/* Its page is empty then, as in the copies that nobody noticed. */
START_TEST(an_unnoticed_copy_tells_nothing_and_its_children_do_not_either)
{
    census_unasked_begin(&ring);
    core_local.tells_unasked = false;
    ck_assert_ptr_null(census_unasked_ring());
    census_unasked_before_fork();
    pid_t child = fork();
    if (child == 0)
        exit(census_unasked_begin_child().number != 0 || census_unasked_ring() != NULL);
    await_success(child);
}
END_TEST

START_TEST(of_a_path_that_is_no_address_nothing_is_told)
{
    census_unasked_begin(&ring);
    ck_assert_int_eq(census_unasked_caller_of((const char *)16).number, 0); /* NOLINT: on purpose */
}
END_TEST

START_TEST(once_children_have_other_numbers_nothing_is_told)
{
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWPID) < 0)
            _exit(0); /* not allowed here */
        census_unasked_begin(&ring);
        _exit(census_unasked_ring() != NULL); /* a search for leaks would not find its helper */
    }
    await_success(child);
    census_unasked_begin(&ring);
    census_unasked_end();
    ck_assert_ptr_null(census_unasked_ring());
}
END_TEST

START_TEST(who_fails_to_enter_a_namespace_tells_on)
{
    census_unasked_begin(&ring);
    census_unasked_end();
    census_unasked_end();
    census_unasked_undo_end();
    ck_assert_ptr_null(census_unasked_ring()); /* another thread has entered one */
    census_unasked_undo_end();
    ck_assert_ptr_eq(census_unasked_ring(), &ring);
}
END_TEST

START_TEST(the_time_is_that_of_the_clock_or_not_told)
{
    ck_assert_uint_eq(clock_monotonic_without_call_ns(), 0); /* nobody has looked */
    uint64_t before_ns = clock_monotonic_ns();
    census_unasked_begin(&ring);
    uint64_t time_ns = clock_monotonic_without_call_ns();
    if (time_ns != 0) {
        ck_assert_uint_ge(time_ns, before_ns);
        ck_assert_uint_le(time_ns, clock_monotonic_ns());
    }
    clock_forbid_tsc();
    ck_assert_uint_eq(clock_monotonic_without_call_ns(), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("census_unasked");
    TCase *self = tcase_create("self");
    tcase_add_test(self, without_a_ring_nobody_is_told);
    tcase_add_test(self, a_process_knows_itself_and_its_parent);
    tcase_add_test(self, a_forked_child_is_another_process);
    tcase_add_test(self, who_may_not_ask_does_not_know_who_calls);
    tcase_add_test(self, an_unnoticed_copy_tells_nothing_and_its_children_do_not_either);
    tcase_add_test(self, of_a_path_that_is_no_address_nothing_is_told);
    tcase_add_test(self, who_fails_to_enter_a_namespace_tells_on);
    tcase_add_test(self, once_children_have_other_numbers_nothing_is_told);
    tcase_add_test(self, the_time_is_that_of_the_clock_or_not_told);
    suite_add_tcase(suite, self);
    return run_suite(suite);
}
