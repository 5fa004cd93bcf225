#include "daemon/capture/salvage.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/children/spawn.h"

void salvage_pool_init(struct salvage_pool *pool, const char *program)
{
    *pool = (struct salvage_pool){ .program = program };
}

static struct salvage_worker *find_worker(struct salvage_pool *pool, pid_t pid)
{
    for (size_t i = 0; i < SALVAGE_WORKERS; i++) {
        if (pool->workers[i].pid == pid)
            return &pool->workers[i];
    }
    return NULL;
}

bool salvage_pool_has_room(const struct salvage_pool *pool)
{
    return find_worker((struct salvage_pool *)pool, 0) != NULL;
}

static void release_worker(struct salvage_worker *worker)
{
    if (worker->jobs != NULL)
        munmap(worker->jobs, worker->count * sizeof(*worker->jobs));
    if (worker->jobs_fd >= 0)
        close(worker->jobs_fd);
    if (worker->output_fd >= 0)
        close(worker->output_fd);
    free(worker->asked);
    *worker = (struct salvage_worker){ 0 };
}

/* A file for the jobs of WORKER that the worker cannot cut off while profd has it mapped. */
static int make_jobs_file(struct salvage_worker *worker, size_t bytes)
{
    worker->jobs_fd = memfd_create("profd-salvage-jobs", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (worker->jobs_fd < 0 || ftruncate(worker->jobs_fd, (off_t)bytes) < 0 ||
        fcntl(worker->jobs_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, worker->jobs_fd, 0);
    if (memory == MAP_FAILED)
        return -errno;
    worker->jobs = memory;
    return 0;
}

static int make_files(struct salvage_worker *worker, const struct salvage_job *jobs)
{
    size_t bytes = worker->count * sizeof(*jobs);
    int error = make_jobs_file(worker, bytes);

    if (error < 0)
        return error;
    worker->output_fd = memfd_create("profd-salvage-output", MFD_CLOEXEC);
    if (worker->output_fd < 0)
        return -errno;
    worker->asked = malloc(bytes);
    if (worker->asked == NULL)
        return -ENOMEM;
    assert(worker->jobs != NULL);
    memcpy(worker->asked, jobs, bytes);
    memcpy(worker->jobs, jobs, bytes);
    return 0;
}

int salvage_pool_begin(struct salvage_pool *pool, const struct salvage_job *jobs, size_t count,
                       int store_fd, salvage_on_done on_done, void *owner, void *batch)
{
    struct salvage_worker *worker = find_worker(pool, 0);
    int status_fd;

    if (worker == NULL)
        return -EBUSY;
    *worker = (struct salvage_worker){ .jobs_fd = -1, .output_fd = -1, .count = count };
    int error = make_files(worker, jobs);
    if (error < 0)
        goto failed;

    char *arguments[] = { (char *)pool->program, NULL };
    char *environment[] = { NULL };
    struct spawn_options options = {
        .arguments = arguments,
        .environment = environment,
        .directory = "/",
        .fds = { worker->jobs_fd, worker->output_fd, store_fd },
        .fd_count = SALVAGE_FDS,
        .own_group = true, /* Ctrl-C is not for it */
        .terminal_fd = -1,
    };
    error = spawn(&options, &worker->pid, &status_fd);
    if (error < 0)
        goto failed;
    worker->on_done = on_done;
    worker->owner = owner;
    worker->batch = batch;
    close(status_fd); /* a worker that cannot start ends like one that crashed */
    return 0;

failed:
    release_worker(worker);
    return error;
}

/* Takes the answers of WORKER, which may be in the power of an arena that it read, over into what
 * it was asked, whatever else it did to its jobs: marks that are known, ends in order and within
 * the output. Returns the end of the last good JSON. */
static uint64_t take_answers(struct salvage_worker *worker, uint64_t output_bytes)
{
    uint64_t end = 0;

    for (size_t i = 0; i < worker->count; i++) {
        struct salvage_job *job = &worker->asked[i];
        job->mark = worker->jobs[i].mark;
        job->error = worker->jobs[i].error;
        job->output_end = worker->jobs[i].output_end;
        bool is_known = job->mark <= SALVAGE_FAILED;
        if (!is_known || (job->mark == SALVAGE_WRITTEN &&
                          (job->output_end <= end || job->output_end > output_bytes))) {
            job->mark = SALVAGE_FAILED;
            job->error = -EPROTO;
        }
        if (job->mark == SALVAGE_WRITTEN)
            end = job->output_end;
        else
            job->output_end = end;
        if (job->error > 0 || job->error < -4095)
            job->error = -EPROTO;
    }
    return end;
}

bool salvage_pool_note_reaped(struct salvage_pool *pool, pid_t pid, int wait_status)
{
    struct salvage_worker *worker = find_worker(pool, pid);
    struct stat status;

    if (pid <= 0 || worker == NULL)
        return false;
    uint64_t bytes = fstat(worker->output_fd, &status) == 0 ? (uint64_t)status.st_size : 0;
    struct salvage_result result = {
        .output_fd = worker->output_fd,
        .output_bytes = take_answers(worker, bytes),
        .jobs = worker->asked,
        .count = worker->count,
        .wait_status = wait_status,
    };
    /* The slot is free before the owner is told, who may begin the next batch in it. */
    struct salvage_worker ended = *worker;
    *worker = (struct salvage_worker){ 0 };
    if (ended.on_done != NULL) {
        ended.output_fd = -1;
        ended.on_done(&result, ended.owner, ended.batch);
    }
    release_worker(&ended);
    return true;
}

void salvage_pool_cancel(struct salvage_pool *pool)
{
    for (size_t i = 0; i < SALVAGE_WORKERS; i++) {
        struct salvage_worker *worker = &pool->workers[i];
        if (worker->pid <= 0)
            continue;
        kill(worker->pid, SIGKILL);
        free(worker->batch);
        worker->batch = NULL;
        worker->on_done = NULL;
    }
}
