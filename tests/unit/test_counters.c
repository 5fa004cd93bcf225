/* child-agent.counters: what threads add is summed up, whichever thread it was and whatever became
 * of it. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child-agent/counters/counters.h"
#include "tests/unit/run_suite.h"

enum { THREADS = 8, ADDS = 10000 };

PROFD_COUNTER(work, "work", "Test", "");
PROFD_COUNTER(work_again, "work", "Test", "the same, declared elsewhere");
PROFD_COUNTER(work_elsewhere, "work", "Other", "another one");

static pthread_barrier_t added, read_out;

static void set_up(void)
{
    ck_assert_int_eq(counters_initialize(), 0);
    profd_recording = PROFD_RECORDING_COUNTERS;
}

static struct counter_total total_of(struct profd_counter *counter)
{
    static struct counter_total totals[COUNTERS_MAX];
    int index = counters_index(counter);
    ck_assert_int_ge(index, 0);
    counters_read(totals, counters_count());
    return totals[index];
}

static void stands_at(struct profd_counter *counter, int64_t count, uint64_t number)
{
    struct counter_total total = total_of(counter);
    ck_assert_int_eq(total.count, count);
    ck_assert_uint_eq(total.number, number);
}

static void *add_and_stay(void *unused)
{
    for (int i = 0; i < ADDS; i++) {
        profd_counter_add(&work, 3);
        profd_counter_add(&work, -1);
    }
    pthread_barrier_wait(&added);
    pthread_barrier_wait(&read_out);
    return unused;
}

START_TEST(all_threads_count_living_and_ended)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&added, NULL, THREADS + 1);
    pthread_barrier_init(&read_out, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, add_and_stay, NULL), 0);
    pthread_barrier_wait(&added);
    stands_at(&work, 2 * THREADS * ADDS, 2 * THREADS * ADDS);
    pthread_barrier_wait(&read_out);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    stands_at(&work, 2 * THREADS * ADDS, 2 * THREADS * ADDS);
}
END_TEST

START_TEST(one_name_and_category_is_one_counter)
{
    profd_counter_add(&work, 1);
    profd_counter_add(&work_again, 2);
    profd_counter_add(&work_elsewhere, 4);
    stands_at(&work, 3, 2);
    stands_at(&work_again, 3, 2);
    stands_at(&work_elsewhere, 4, 1);
}
END_TEST

START_TEST(without_a_session_nothing_counts)
{
    profd_recording = 0;
    profd_counter_add(&work, 1);
    ck_assert_uint_eq(counters_count(), 0);
    stands_at(&work, 0, 0);
}
END_TEST

START_TEST(too_many_are_refused_and_harm_nobody)
{
    static struct profd_counter many[COUNTERS_MAX + 5];
    static char names[COUNTERS_MAX + 5][16];
    for (int i = 0; i < COUNTERS_MAX + 5; i++) {
        snprintf(names[i], sizeof(names[i]), "%d", i);
        many[i].name = names[i];
        profd_counter_add(&many[i], i);
    }
    ck_assert_uint_eq(counters_count(), COUNTERS_MAX);
    ck_assert_int_eq(profd_counter_register(&many[COUNTERS_MAX]), -ENOSPC);
    for (int i = 0; i < COUNTERS_MAX; i++)
        stands_at(&many[i], i, 1);
}
END_TEST

#ifdef __SANITIZE_THREAD__ /* it takes itself down in the last round of destructors */
#define HAS_LAST_ROUND 0
#else
#define HAS_LAST_ROUND 1
#endif

static pthread_key_t late_key;

/* Runs in all rounds of destructors, also after the thread's shard is gone. */
static void add_late(void *value)
{
    profd_counter_add(&work, 1);
    (void)pthread_setspecific(late_key, value);
}

static void *end_late(void *unused)
{
    (void)pthread_setspecific(late_key, &late_key);
    return unused;
}

START_TEST(destructors_of_a_thread_still_count)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_key_create(&late_key, add_late), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, end_late, NULL), 0);
    pthread_join(thread, NULL);
    stands_at(&work, PTHREAD_DESTRUCTOR_ITERATIONS, PTHREAD_DESTRUCTOR_ITERATIONS);
}
END_TEST

static void *fork_there(void *unused)
{
    profd_counter_add(&work, 10);
    counters_before_fork();
    pid_t child = fork();
    if (child == 0) {
        counters_after_fork_child();
        profd_counter_add(&work, 100);
        _exit(total_of(&work).count == 111 ? 0 : 1);
    }
    counters_after_fork_parent();
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return unused;
}

START_TEST(a_forked_child_goes_on_from_there)
{
    pthread_t thread;
    profd_counter_add(&work, 1);
    ck_assert_int_eq(pthread_create(&thread, NULL, fork_there, NULL), 0);
    pthread_join(thread, NULL);
    stands_at(&work, 11, 2);
}
END_TEST

/* As handlers of pthread_atfork() do, which may run while the agent's locks are held. */
static void *count_while_forking(void *unused)
{
    counters_before_fork();
    profd_counter_add(&work, 1);
    pid_t child = fork();
    profd_counter_add(&work_elsewhere, 2);
    if (child == 0) {
        counters_after_fork_child();
        _exit(total_of(&work).count == 1 && total_of(&work_elsewhere).count == 2 ? 0 : 1);
    }
    counters_after_fork_parent();
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    return unused;
}

START_TEST(a_thread_begins_to_count_while_it_forks)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, count_while_forking, NULL), 0);
    pthread_join(thread, NULL);
    stands_at(&work, 1, 1);
    stands_at(&work_elsewhere, 2, 1);
}
END_TEST

/* Their values would take memory of the program's malloc, whose hooks count. */
START_TEST(with_too_many_keys_threads_count_together)
{
    enum { KEYS = 40 };
    pthread_key_t keys[KEYS];
    for (int i = 0; i < KEYS; i++)
        ck_assert_int_eq(pthread_key_create(&keys[i], NULL), 0);
    ck_assert_int_eq(counters_initialize(), -EAGAIN);
    profd_counter_add(&work, 1);
    ck_assert_ptr_null(profd_counter_cells_);
    stands_at(&work, 1, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counters");
    TCase *adding = tcase_create("adding");
    tcase_add_checked_fixture(adding, set_up, NULL);
    tcase_add_test(adding, all_threads_count_living_and_ended);
    tcase_add_test(adding, one_name_and_category_is_one_counter);
    tcase_add_test(adding, without_a_session_nothing_counts);
    tcase_add_test(adding, too_many_are_refused_and_harm_nobody);
    if (HAS_LAST_ROUND)
        tcase_add_test(adding, destructors_of_a_thread_still_count);
    tcase_add_test(adding, a_forked_child_goes_on_from_there);
    tcase_add_test(adding, a_thread_begins_to_count_while_it_forks);
    tcase_add_test(adding, with_too_many_keys_threads_count_together);
    suite_add_tcase(suite, adding);
    return run_suite(suite);
}
