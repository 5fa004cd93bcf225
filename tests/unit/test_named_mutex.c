/* The checks of mutexes, which are there in this program whatever the build. */
#include <check.h>
#include <signal.h>

#undef PROFD_CHECK_LOCKS
#define PROFD_CHECK_LOCKS 1
#include "child-agent/guest/named_mutex.c"
#include "tests/unit/run_suite.h"

static struct named_mutex outer = NAMED_MUTEX_INITIALIZER(SITES);
static struct named_mutex inner = NAMED_MUTEX_INITIALIZER(REGISTRY);

static void *lock_inner(void *argument)
{
    named_mutex_lock(&inner);
    return argument;
}

static void *try_inner(void *argument)
{
    *(bool *)argument = named_mutex_try_lock(&inner);
    return NULL;
}

static void run_thread(void *(*routine)(void *), void *argument)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, routine, argument), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

START_TEST(locks_nest_in_their_order)
{
    const struct timespec past = { 0 };
    bool is_free = true;
    for (int i = 0; i < 2; i++) {
        named_mutex_lock(&outer);
        named_mutex_lock(&inner);
        named_mutex_assert_held(&outer);
        named_mutex_unlock(&outer);
        named_mutex_unlock(&inner);
    }
    ck_assert(named_mutex_try_lock(&inner));
    run_thread(try_inner, &is_free);
    ck_assert(!is_free);
    named_mutex_unlock(&inner);
    ck_assert(named_mutex_lock_until(&outer, &past));
    named_mutex_unlock(&outer);
}
END_TEST

START_TEST(a_reset_mutex_is_free)
{
    run_thread(lock_inner, NULL);
    ck_assert(!named_mutex_try_lock(&inner));
    named_mutex_reset(&inner);
    named_mutex_lock(&inner);
    named_mutex_reset(&inner);
    named_mutex_lock(&outer);
    named_mutex_lock(&inner);
}
END_TEST

START_TEST(the_wrong_order_aborts)
{
    named_mutex_lock(&inner);
    named_mutex_lock(&outer);
}
END_TEST

START_TEST(locking_twice_aborts)
{
    named_mutex_lock(&inner);
    named_mutex_lock(&inner);
}
END_TEST

START_TEST(unlocking_what_is_not_held_aborts)
{
    named_mutex_unlock(&inner);
}
END_TEST

START_TEST(unlocking_another_threads_aborts)
{
    run_thread(lock_inner, NULL);
    named_mutex_unlock(&inner);
}
END_TEST

START_TEST(needing_what_is_not_held_aborts)
{
    named_mutex_lock(&outer);
    named_mutex_assert_held(&inner);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("mutexes");
    tcase_add_test(cases, locks_nest_in_their_order);
    tcase_add_test(cases, a_reset_mutex_is_free);
    tcase_add_test_raise_signal(cases, the_wrong_order_aborts, SIGABRT);
    tcase_add_test_raise_signal(cases, locking_twice_aborts, SIGABRT);
    tcase_add_test_raise_signal(cases, unlocking_what_is_not_held_aborts, SIGABRT);
    tcase_add_test_raise_signal(cases, unlocking_another_threads_aborts, SIGABRT);
    tcase_add_test_raise_signal(cases, needing_what_is_not_held_aborts, SIGABRT);
    Suite *suite = suite_create("child-agent.named_mutex");
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
