/* A look at a thread from outside: what the kernel's line says, and threads that sleep, run, and
 * are gone. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "buffer/clock.h"
#include "child-agent/sampler/thread_look.h"
#include "child-agent/threads/label_stack.h"
#include "child-agent/threads/thread_registry.h"
#include "tests/unit/run_suite.h"

enum { SITE = 7, LABELLED_ADDRESS = 0x7000 };

static const struct {
    const char *text;
    enum thread_look expect;
} lines[] = {
    { "running\n", THREAD_LOOK_RUNS },
    { "0 0x3 0x7ffd 0x400 0x0 0x0 0x0 0x7ffd10 0x7f20\n", THREAD_LOOK_SLEEPS },
    { "-1 0x7ffd10 0x7f20\n", THREAD_LOOK_SLEEPS },
    { "0 0x7ffd10 0x7f20", THREAD_LOOK_SLEEPS },
    { "", THREAD_LOOK_NOTHING },
    { "\n", THREAD_LOOK_NOTHING },
    { "run", THREAD_LOOK_NOTHING },
    { "runningly\n", THREAD_LOOK_NOTHING },
    { "0x7f20\n", THREAD_LOOK_NOTHING },
    { "-1 7ffd10 0x7f20\n", THREAD_LOOK_NOTHING },
    { "-1 0x7ffd10 0x\n", THREAD_LOOK_NOTHING },
    { "-1 0x7ffd10 0x7f20z\n", THREAD_LOOK_NOTHING },
    { "-1 0x0 0x0\n", THREAD_LOOK_NOTHING },
};

START_TEST(the_kernels_line_says_where)
{
    struct sleeping_place place = { 0 };

    ck_assert_int_eq(thread_look_parse(lines[_i].text, strlen(lines[_i].text), &place),
                     lines[_i].expect);
    ck_assert_uint_eq(place.stack_pointer, lines[_i].expect == THREAD_LOOK_SLEEPS ? 0x7ffd10 : 0);
    ck_assert_uint_eq(place.program_counter, lines[_i].expect == THREAD_LOOK_SLEEPS ? 0x7f20 : 0);
}
END_TEST

START_TEST(a_line_without_end_says_nothing)
{
    char line[4096];
    struct sleeping_place place;

    memset(line, 'a', sizeof(line));
    ck_assert_int_eq(thread_look_parse(line, sizeof(line), &place), THREAD_LOOK_NOTHING);
}
END_TEST

static struct look_files files;
static int ends[2];
static _Atomic bool is_over;
static struct thread_registration *_Atomic worker;

static void *sleep_in_read(void *unused)
{
    char byte;

    ck_assert_int_eq(thread_registry_register_current("sleeper", false), 0);
    thread_labels.labels[0].stack_address = LABELLED_ADDRESS;
    thread_labels.labels[0].site_index = SITE;
    thread_labels.depth = 1;
    atomic_store(&label_stacks_were_used, true);
    atomic_store(&worker, thread_current);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    return unused;
}

static void *run_on(void *unused)
{
    ck_assert_int_eq(thread_registry_register_current("runner", false), 0);
    atomic_store(&worker, thread_current);
    while (!atomic_load(&is_over))
        continue;
    return unused;
}

static void begin(void)
{
    ck_assert_int_eq(thread_registry_initialize(), 0);
}

static pthread_t begin_worker(void *(*run)(void *))
{
    pthread_t thread;

    ck_assert_int_eq(pthread_create(&thread, NULL, run, NULL), 0);
    while (atomic_load(&worker) == NULL)
        usleep(1000);
    return thread;
}

START_TEST(files_are_kept_where_there_are_many_descriptors)
{
    const struct rlimit few = { 4 * LOOK_FILES_MOST - 1, 4 * LOOK_FILES_MOST };
    const struct rlimit many = { 4 * LOOK_FILES_MOST, 4 * LOOK_FILES_MOST };

    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    look_files_keep(&files);
    ck_assert(!files.are_kept);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &many), 0);
    look_files_keep(&files);
    ck_assert(files.are_kept);
}
END_TEST

START_TEST(one_that_sleeps_is_copied_with_its_labels)
{
    static struct snapshot_copy copy;
    struct sleeping_place place;

    ck_assert_int_eq(pipe(ends), 0);
    pthread_t thread = begin_worker(sleep_in_read);
    while (thread_look(&files, worker->id, &place) != THREAD_LOOK_SLEEPS)
        usleep(1000);
    uint64_t cpu_ns = clock_read_ns(worker->cpu_clock);
    thread_look_copy(worker, &place, &copy);
    ck_assert_uint_eq(clock_read_ns(worker->cpu_clock), cpu_ns);
    ck_assert_uint_eq(copy.snapshot.registers[REGISTER_RSP], place.stack_pointer);
    ck_assert_uint_eq(copy.snapshot.registers[REGISTER_RIP], place.program_counter);
    ck_assert_uint_ge(place.stack_pointer, worker->stack_low);
    ck_assert_uint_eq(copy.snapshot.stack_bytes, worker->stack_high - place.stack_pointer);
    ck_assert_uint_eq(copy.snapshot.label_count, 1);
    ck_assert_uint_eq(copy.snapshot.labels[0].site, SITE);
    ck_assert_uint_eq(copy.snapshot.labels[0].stack_address, LABELLED_ADDRESS);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
END_TEST

/* With files that are opened each time, and with kept ones. */
START_TEST(one_that_runs_is_told_from_one_that_is_gone)
{
    struct sleeping_place place;

    files.are_kept = _i;
    pthread_t thread = begin_worker(run_on);
    struct profd_thread_id id = worker->id;
    while (thread_look(&files, id, &place) != THREAD_LOOK_RUNS)
        usleep(1000);
    atomic_store(&is_over, true);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    while (thread_look(&files, id, &place) != THREAD_LOOK_NOTHING)
        usleep(1000);
}
END_TEST

static rlim_t lowest_free_descriptor(void)
{
    int fd = dup(STDERR_FILENO);

    ck_assert_int_ge(fd, 0);
    close(fd);
    return (rlim_t)fd;
}

START_TEST(kept_files_give_way_where_descriptors_are_few)
{
    enum { THREADS = 3 };
    struct sleeping_place place;
    pthread_t threads[THREADS];
    struct profd_thread_id ids[THREADS];

    ck_assert_int_eq(pipe(ends), 0);
    for (int i = 0; i < THREADS; i++) {
        atomic_store(&worker, NULL);
        threads[i] = begin_worker(sleep_in_read);
        ids[i] = worker->id;
    }
    files.are_kept = true;
    const rlim_t room = lowest_free_descriptor() + 2;
    const struct rlimit limit = { room, room };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int i = 0; i < THREADS; i++) {
        while (thread_look(&files, ids[i], &place) != THREAD_LOOK_SLEEPS)
            usleep(1000);
    }
    ck_assert(!files.are_kept);
    ck_assert_uint_eq(lowest_free_descriptor(), room - 2);
    ck_assert_int_eq(write(ends[1], "xyz", THREADS), THREADS);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("child-agent.sampler.thread_look");
    TCase *text = tcase_create("text");
    tcase_add_loop_test(text, the_kernels_line_says_where, 0, sizeof(lines) / sizeof(*lines));
    tcase_add_test(text, a_line_without_end_says_nothing);
    suite_add_tcase(suite, text);
    TCase *threads = tcase_create("threads");
    tcase_add_checked_fixture(threads, begin, NULL);
    tcase_add_test(threads, files_are_kept_where_there_are_many_descriptors);
    tcase_add_test(threads, one_that_sleeps_is_copied_with_its_labels);
    tcase_add_loop_test(threads, one_that_runs_is_told_from_one_that_is_gone, 0, 2);
    tcase_add_test(threads, kept_files_give_way_where_descriptors_are_few);
    suite_add_tcase(suite, threads);
    return run_suite(suite);
}
