/* A worker process: one thread accepts, a pool of threads serves. */
#ifndef PREFORK_WORKER_H
#define PREFORK_WORKER_H

enum { WORKER_MAX_THREADS = 32 };

/* Serves connections of LISTENER (non-blocking, shared with other workers) with THREAD_COUNT
 * threads until SIGTERM, which the caller has blocked. Returns the exit status of the process. */
int worker_run(int listener, unsigned index, unsigned thread_count);

#endif
