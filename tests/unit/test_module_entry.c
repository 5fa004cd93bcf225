/* child-agent.modules: one at a time is in the list. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-agent/unwinding/modules.h"
#include "tests/unit/modules_scene.h"
#include "tests/unit/run_suite.h"

static void *enter_elsewhere(void *context)
{
    if (!module_map_enter(map))
        return NULL;
    module_map_leave(map);
    return context;
}

/* Whether another thread can enter at this moment. */
static bool can_be_entered(void)
{
    pthread_t thread;
    void *entered;
    ck_assert_int_eq(pthread_create(&thread, NULL, enter_elsewhere, map), 0);
    ck_assert_int_eq(pthread_join(thread, &entered), 0);
    return entered != NULL;
}

START_TEST(one_at_a_time_is_in_the_map)
{
    ck_assert(module_map_enter(map));
    ck_assert(!module_map_enter(map)); /* as a handler that interrupts who is in */
    ck_assert(!can_be_entered());
    ck_assert_ptr_nonnull(module_of((const void *)&labs));
    ck_assert(!can_be_entered());
    module_map_leave(map);
    ck_assert(can_be_entered());
    ck_assert(module_map_enter(map));
    module_map_leave(map);
}
END_TEST

static volatile sig_atomic_t has_entered;

static void enter_in_handler(int number)
{
    (void)number;
    has_entered = module_map_enter(map);
}

START_TEST(a_handler_does_not_enter_what_it_interrupted)
{
    struct sigaction action = { .sa_handler = enter_in_handler };
    sigaction(SIGUSR1, &action, NULL);
    has_entered = true;
    ck_assert(module_map_enter(map));
    raise(SIGUSR1);
    ck_assert(!has_entered);
    ck_assert(!can_be_entered());
    module_map_leave(map);
}
END_TEST

static struct {
    _Atomic int inside, entered;
    int sum; /* of those who were in */
} crowd;

static void *enter_often(void *context)
{
    for (int i = 0; i < 2000; i++) {
        if (!module_map_enter(map))
            continue;
        if (atomic_fetch_add(&crowd.inside, 1) != 0)
            return NULL;
        crowd.sum++;
        atomic_fetch_add(&crowd.entered, 1);
        atomic_fetch_sub(&crowd.inside, 1);
        module_map_leave(map);
    }
    return context;
}

START_TEST(threads_are_in_one_after_the_other)
{
    pthread_t threads[4];
    memset(&crowd, 0, sizeof(crowd));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, enter_often, map), 0);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        ck_assert_ptr_eq(result, map);
    }
    ck_assert_int_gt(crowd.entered, 0);
    ck_assert_int_eq(crowd.sum, crowd.entered);
}
END_TEST

static int after_fork(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(module_map_after_fork_child(map) ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(a_forked_child_trusts_only_what_nobody_was_in)
{
    ck_assert_int_eq(after_fork(), 0);
    ck_assert(module_map_enter(map));
    ck_assert_int_eq(after_fork(), 1);
    module_map_leave(map);
    ck_assert_int_eq(after_fork(), 0);
    ck_assert(module_map_enter(map));
    ck_assert(!module_map_after_fork_child(map)); /* and nobody is in any more */
    ck_assert(can_be_entered());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.module_entry");
    TCase *list = tcase_create("list");
    tcase_add_checked_fixture(list, setup, teardown);
    tcase_add_test(list, one_at_a_time_is_in_the_map);
    tcase_add_test(list, a_handler_does_not_enter_what_it_interrupted);
    tcase_add_test(list, threads_are_in_one_after_the_other);
    tcase_add_test(list, a_forked_child_trusts_only_what_nobody_was_in);
    suite_add_tcase(suite, list);
    return run_suite(suite);
}
