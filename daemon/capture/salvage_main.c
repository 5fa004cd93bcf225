/* profd-salvage: makes the profiles of processes that cannot do it themselves, from their arenas.
 *
 * A worker of profd, never started by hand. It gets its work in descriptors
 * (daemon/capture/salvage_job.h), gives up every privilege and every other descriptor, bounds its
 * own memory and CPU time, and trusts nothing in an arena: the worst that one can do is to end this
 * process, which profd notices. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer/arena_reader.h"
#include "buffer/clock.h"
#include "daemon/capture/salvage_job.h"
#include "daemon/capture/salvage_sandbox.h"
#include "json/gecko/gecko_process.h"
#include "json/spare_pages.h"

/* Appends the profile that READER has, as JOB wants it. */
static int stream_profile(struct arena_reader *reader, const struct salvage_job *job,
                          bool needs_comma)
{
    struct gecko_process_options options = {
        .reference_ns = job->reference_ns,
        .reference_unix_ns = job->reference_unix_ns,
        .capture_ns = job->capture_ns,
        .since_ns = job->since_ns,
        .process_start_ns = job->process_start_ns,
        .end_ns = job->end_ns,
        .verdict = (enum process_verdict)job->verdict,
        .outcome = (enum process_verdict)job->outcome,
        .code = job->code,
        .cpu_time = job->cpu_time,
        .later_images = job->later_images,
        .reason = job->reason[0] != '\0' ? job->reason : NULL,
        .title = job->title[0] != '\0' ? job->title : NULL,
        .thread_filters = job->thread_filters,
    };
    int output = SALVAGE_OUTPUT_FD;
    struct failure_latch latch;
    struct json_writer writer;

    failure_latch_init(&latch);
    json_writer_init_sink(&writer, json_sink_fd, &output, &latch);
    int error = needs_comma ? json_sink_fd(&output, ",", 1) : 0;
    if (error == 0)
        error = gecko_stream_process(reader, &options, &writer, NULL, &latch);
    if (error == 0)
        error = json_writer_flush(&writer);
    json_writer_fini(&writer);
    return error;
}

/* Takes back what a failed job left in the output. */
static int rewind_output(off_t end)
{
    if (ftruncate(SALVAGE_OUTPUT_FD, end) < 0 || lseek(SALVAGE_OUTPUT_FD, end, SEEK_SET) < 0)
        return -errno;
    return 0;
}

static enum salvage_mark do_job(struct salvage_job *job, struct arena_reader *reader)
{
    off_t start = lseek(SALVAGE_OUTPUT_FD, 0, SEEK_CUR);
    if (start < 0) {
        job->error = -errno;
        return SALVAGE_FAILED;
    }
    if (job->may_skip && !arena_reader_holds_recordings(reader)) {
        job->output_end = (uint64_t)start;
        return SALVAGE_SKIPPED;
    }

    job->error = stream_profile(reader, job, start > 0);
    if (job->error == 0) {
        job->output_end = (uint64_t)lseek(SALVAGE_OUTPUT_FD, 0, SEEK_CUR);
        return SALVAGE_WRITTEN;
    }
    int error = rewind_output(start);
    if (error < 0)
        _exit(1); /* the output is spoilt: profd uses what came before */
    job->output_end = (uint64_t)start;
    return SALVAGE_FAILED;
}

static enum salvage_mark do_mapped_job(struct salvage_job *job)
{
    struct arena_reader *reader;
    int error;

    if (job->bytes == 0) {
        error = arena_reader_open(SALVAGE_STORE_FD, &reader);
        if (error == 0) {
            enum salvage_mark mark = do_job(job, reader);
            arena_reader_close(reader);
            return mark;
        }
        job->error = error;
        return SALVAGE_FAILED;
    }

    void *memory =
        mmap(NULL, job->bytes, PROT_READ, MAP_SHARED, SALVAGE_STORE_FD, (off_t)job->offset);
    if (memory == MAP_FAILED) {
        job->error = -errno;
        return SALVAGE_FAILED;
    }
    enum salvage_mark mark = SALVAGE_FAILED;
    error = arena_reader_open_memory(memory, job->bytes, &reader);
    if (error == 0) {
        mark = do_job(job, reader);
        arena_reader_close(reader);
    } else {
        job->error = error;
    }
    munmap(memory, job->bytes);
    return mark;
}

/* A failed job's output_end must not take back an earlier one's. */
static void do_jobs(struct salvage_job *jobs, size_t count)
{
    spare_pages_keep();
    for (size_t i = 0; i < count; i++) {
        jobs[i].output_end = (uint64_t)lseek(SALVAGE_OUTPUT_FD, 0, SEEK_CUR);
        enum salvage_mark mark = do_mapped_job(&jobs[i]);
        __atomic_store_n(&jobs[i].mark, mark, __ATOMIC_RELEASE);
    }
}

int main(void)
{
    struct stat status;

    if (fstat(SALVAGE_JOBS_FD, &status) < 0 || fcntl(SALVAGE_STORE_FD, F_GETFD) < 0 ||
        fcntl(SALVAGE_OUTPUT_FD, F_GETFD) < 0) {
        fputs("profd-salvage: this is a part of profd, which starts it; see profctl capture\n",
              stderr);
        return 2;
    }
    clock_initialize(); /* looks into files, which the sandbox has none of */
    int error = salvage_sandbox_enter(SALVAGE_JOBS_FD + SALVAGE_FDS - 1);
    if (error < 0) {
        fprintf(stderr, "profd-salvage: cannot give up privileges: %s\n", strerror(-error));
        return 1;
    }

    struct salvage_job *jobs =
        mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, SALVAGE_JOBS_FD, 0);
    if (jobs == MAP_FAILED) {
        fprintf(stderr, "profd-salvage: cannot map its jobs: %s\n", strerror(errno));
        return 1;
    }
    do_jobs(jobs, (size_t)status.st_size / sizeof(*jobs));
    return 0;
}
