/* The salvage workers: up to SALVAGE_WORKERS profd-salvage processes at once, each with a batch of
 * arenas.
 *
 * Loop thread. See daemon/capture/salvage_job.h for how they communicate. */
#ifndef PROFD_DAEMON_SALVAGE_H
#define PROFD_DAEMON_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/capture/salvage_job.h"

enum { SALVAGE_WORKERS = 2 };

/* The result of a batch. */
struct salvage_result {
    int output_fd; /* the JSON of all that succeeded, with commas between; the callee's; -1: none */
    uint64_t output_bytes;
    const struct salvage_job *jobs; /* as they were begun, with answers that were checked; gone
                                     * after the call */
    size_t count;
    int wait_status; /* of the worker */
};

typedef void (*salvage_on_done)(const struct salvage_result *result, void *owner, void *batch);

struct salvage_worker {
    pid_t pid; /* 0: free */
    int jobs_fd, output_fd;
    struct salvage_job *jobs;  /* mapped; the worker writes to them */
    struct salvage_job *asked; /* as given to the worker; owned */
    size_t count;
    salvage_on_done on_done; /* NULL: cancelled */
    void *owner;
    void *batch; /* owned until on_done */
};

struct salvage_pool {
    const char *program; /* borrowed */
    struct salvage_worker workers[SALVAGE_WORKERS];
};

void salvage_pool_init(struct salvage_pool *pool, const char *program);

bool salvage_pool_has_room(const struct salvage_pool *pool);

/* Starts JOBS (copied) on the arenas in STORE_FD (borrowed). Returns 0: then ON_DONE comes from the
 * loop with OWNER and BATCH (from malloc), which it owns again; or a negative errno. */
int salvage_pool_begin(struct salvage_pool *pool, const struct salvage_job *jobs, size_t count,
                       int store_fd, salvage_on_done on_done, void *owner, void *batch);

/* profd reaped PID. Returns true if it was a worker, whose owner has been told. */
bool salvage_pool_note_reaped(struct salvage_pool *pool, pid_t pid, int wait_status);

/* Kills all workers and frees their batches; owners are not told. */
void salvage_pool_cancel(struct salvage_pool *pool);

#endif
