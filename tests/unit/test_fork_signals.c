/* What comes through while a thread forks. */
#include <check.h>
#include <signal.h>
#include <stdbool.h>

#include "child-agent/fork_signals.h"
#include "tests/unit/run_suite.h"

static void do_nothing(int number)
{
    (void)number;
}

static sigset_t mask_now(void)
{
    sigset_t mask;

    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, NULL, &mask), 0);
    return mask;
}

static bool is_blocked_while_forking(int number)
{
    fork_signals_block();
    sigset_t mask = mask_now();
    fork_signals_restore();
    return sigismember(&mask, number) == 1;
}

/* A blocked one is kept, though the program ignores it, and ends another thread's epoll_wait(). */
START_TEST(ends_of_children_that_nobody_handles_are_not_kept)
{
    ck_assert(!is_blocked_while_forking(SIGCHLD));
    ck_assert(is_blocked_while_forking(SIGUSR1));
    ck_assert_ptr_eq(signal(SIGCHLD, do_nothing), SIG_DFL);
    ck_assert(is_blocked_while_forking(SIGCHLD));
}
END_TEST

START_TEST(the_mask_is_as_it_was_afterwards)
{
    sigset_t ends, after;

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &ends, NULL), 0);
    ck_assert(is_blocked_while_forking(SIGCHLD));
    after = mask_now();
    ck_assert_int_eq(sigismember(&after, SIGCHLD), 1);
    ck_assert_int_eq(sigismember(&after, SIGUSR1), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fork_signals");
    TCase *blocking = tcase_create("blocking");

    tcase_add_test(blocking, ends_of_children_that_nobody_handles_are_not_kept);
    tcase_add_test(blocking, the_mask_is_as_it_was_afterwards);
    suite_add_tcase(suite, blocking);
    return run_suite(suite);
}
