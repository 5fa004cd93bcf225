/* daemon.salvage: the pool of workers, with scripts in the place of profd-salvage. */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/capture/salvage.h"
#include "tests/unit/run_suite.h"

enum { JOBS = 3, OWN = 77 };

static char folder[64], program[96];
static struct salvage_pool pool;
static struct salvage_job jobs[JOBS], answers[JOBS];
static struct salvage_result result; /* of the latest batch; its jobs are in answers */
static unsigned results;
static int store_fd;

static void on_done(const struct salvage_result *told, void *owner, void *batch)
{
    ck_assert_ptr_eq(owner, &pool);
    ck_assert_ptr_nonnull(batch);
    free(batch);
    result = *told;
    memcpy(answers, told->jobs, told->count * sizeof(*told->jobs));
    results++;
}

static void set_up(void)
{
    strcpy(folder, "/tmp/profd-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(program, sizeof(program), "%s/worker", folder);
    memset(jobs, 0, sizeof(jobs));
    results = 0;
    store_fd = memfd_create("store", MFD_CLOEXEC);
    salvage_pool_init(&pool, program);
}

static void tear_down(void)
{
    char command[96];

    close(store_fd);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_worker(const char *script)
{
    FILE *file = fopen(program, "we");

    ck_assert_ptr_nonnull(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(program, 0700), 0);
}

static int begin_pool(void)
{
    void *batch = malloc(1);
    int error = salvage_pool_begin(&pool, jobs, JOBS, store_fd, on_done, &pool, batch);

    if (error < 0)
        free(batch);
    return error;
}

static void reap_worker(void)
{
    int status;
    pid_t pid = waitpid(-1, &status, 0);

    ck_assert_int_gt(pid, 0);
    ck_assert(salvage_pool_note_reaped(&pool, pid, status));
}

/* Runs a worker that says of each job what MARKS say, having written JSON. */
static void answer_jobs(const char *json, const uint32_t marks[JOBS], const uint64_t ends[JOBS])
{
    char script[256];

    snprintf(script, sizeof(script), "printf '%s' >&4", json);
    write_worker(script);
    ck_assert_int_eq(begin_pool(), 0);
    struct salvage_worker *worker = &pool.workers[0];
    for (int i = 0; i < JOBS; i++) {
        worker->jobs[i].mark = marks[i];
        worker->jobs[i].output_end = ends[i];
    }
    reap_worker();
    ck_assert_uint_eq(results, 1);
}

START_TEST(a_worker_reads_jobs_and_store_and_writes_its_output)
{
    char text[16] = "";

    jobs[0].offset = OWN;
    ck_assert_int_eq(pwrite(store_fd, "arena", 5, 0), 5);
    write_worker("head -c 1 <&3 >&4; cat <&5 >&4");
    ck_assert_int_eq(lseek(store_fd, 0, SEEK_SET), 0);
    ck_assert_int_eq(begin_pool(), 0);
    reap_worker();
    ck_assert_uint_eq(results, 1);
    ck_assert_int_eq(pread(result.output_fd, text, sizeof(text) - 1, 0), 6);
    ck_assert_int_eq(text[0], OWN);
    ck_assert_str_eq(text + 1, "arena");
    close(result.output_fd);
}
END_TEST

START_TEST(good_answers_come_as_they_are)
{
    answer_jobs("abcdef", (uint32_t[]){ SALVAGE_WRITTEN, SALVAGE_SKIPPED, SALVAGE_WRITTEN },
                (uint64_t[]){ 2, 0, 6 });
    ck_assert_uint_eq(result.output_bytes, 6);
    ck_assert_uint_eq(answers[0].mark, SALVAGE_WRITTEN);
    ck_assert_uint_eq(answers[1].mark, SALVAGE_SKIPPED);
    ck_assert_uint_eq(answers[1].output_end, 2);
    ck_assert_uint_eq(answers[2].output_end, 6);
    close(result.output_fd);
}
END_TEST

START_TEST(an_end_beyond_the_output_or_before_the_last_one_is_refused)
{
    answer_jobs("abcdef", (uint32_t[]){ SALVAGE_WRITTEN, SALVAGE_WRITTEN, SALVAGE_WRITTEN },
                (uint64_t[]){ 4, 3, 7 });
    ck_assert_uint_eq(answers[0].mark, SALVAGE_WRITTEN);
    ck_assert_uint_eq(answers[1].mark, SALVAGE_FAILED);
    ck_assert_int_eq(answers[1].error, -EPROTO);
    ck_assert_uint_eq(answers[2].mark, SALVAGE_FAILED);
    ck_assert_uint_eq(result.output_bytes, 4);
    close(result.output_fd);
}
END_TEST

START_TEST(a_mark_that_there_is_not_is_a_failure)
{
    answer_jobs("", (uint32_t[]){ SALVAGE_FAILED + 1, SALVAGE_NOT_DONE, SALVAGE_NOT_DONE },
                (uint64_t[]){ 0, 0, 0 });
    ck_assert_uint_eq(answers[0].mark, SALVAGE_FAILED);
    ck_assert_uint_eq(answers[1].mark, SALVAGE_NOT_DONE);
    ck_assert_uint_eq(result.output_bytes, 0);
    close(result.output_fd);
}
END_TEST

/* It reads arenas that nobody trusts, and may be in their power. */
START_TEST(what_a_worker_does_to_its_jobs_beside_its_answers_is_undone)
{
    strcpy(jobs[0].reason, "why");
    jobs[0].verdict = VERDICT_FROZEN;
    write_worker("printf ab >&4");
    ck_assert_int_eq(begin_pool(), 0);
    struct salvage_job *job = &pool.workers[0].jobs[0];
    memset(job->reason, 'x', sizeof(job->reason));
    job->verdict = VERDICT_LIVE;
    job->mark = SALVAGE_WRITTEN;
    job->output_end = 2;
    reap_worker();
    ck_assert_uint_eq(answers[0].mark, SALVAGE_WRITTEN);
    ck_assert_str_eq(answers[0].reason, "why");
    ck_assert_uint_eq(answers[0].verdict, VERDICT_FROZEN);
    close(result.output_fd);
}
END_TEST

START_TEST(a_worker_cannot_cut_its_jobs_off)
{
    write_worker("truncate -s 0 /proc/self/fd/3; printf ab >&4");
    ck_assert_int_eq(begin_pool(), 0);
    reap_worker();
    ck_assert_uint_eq(results, 1);
    ck_assert_uint_eq(answers[JOBS - 1].mark, SALVAGE_NOT_DONE);
    close(result.output_fd);
}
END_TEST

START_TEST(a_worker_that_dies_is_told_with_its_status)
{
    write_worker("kill -9 $$");
    ck_assert_int_eq(begin_pool(), 0);
    reap_worker();
    ck_assert(WIFSIGNALED(result.wait_status));
    ck_assert_uint_eq(answers[0].mark, SALVAGE_NOT_DONE);
    close(result.output_fd);
}
END_TEST

START_TEST(one_that_cannot_be_run_ends_like_one_that_crashed)
{
    ck_assert_int_eq(begin_pool(), 0);
    reap_worker();
    ck_assert_uint_eq(results, 1);
    ck_assert_int_ne(result.wait_status, 0);
    close(result.output_fd);
}
END_TEST

START_TEST(there_are_so_many_and_no_more)
{
    write_worker("sleep 60");
    for (int i = 0; i < SALVAGE_WORKERS; i++) {
        ck_assert(salvage_pool_has_room(&pool));
        ck_assert_int_eq(begin_pool(), 0);
    }
    ck_assert(!salvage_pool_has_room(&pool));
    ck_assert_int_eq(begin_pool(), -EBUSY);
    salvage_pool_cancel(&pool);
    for (int i = 0; i < SALVAGE_WORKERS; i++)
        reap_worker();
    ck_assert_uint_eq(results, 0); /* nobody is told of those that were cancelled */
    ck_assert(salvage_pool_has_room(&pool));
}
END_TEST

START_TEST(others_that_are_reaped_are_no_workers)
{
    ck_assert(!salvage_pool_note_reaped(&pool, getpid(), 0));
    ck_assert(!salvage_pool_note_reaped(&pool, 0, 0));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("salvage");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_test(all, a_worker_reads_jobs_and_store_and_writes_its_output);
    tcase_add_test(all, good_answers_come_as_they_are);
    tcase_add_test(all, an_end_beyond_the_output_or_before_the_last_one_is_refused);
    tcase_add_test(all, a_mark_that_there_is_not_is_a_failure);
    tcase_add_test(all, what_a_worker_does_to_its_jobs_beside_its_answers_is_undone);
    tcase_add_test(all, a_worker_cannot_cut_its_jobs_off);
    tcase_add_test(all, a_worker_that_dies_is_told_with_its_status);
    tcase_add_test(all, one_that_cannot_be_run_ends_like_one_that_crashed);
    tcase_add_test(all, there_are_so_many_and_no_more);
    tcase_add_test(all, others_that_are_reaped_are_no_workers);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
