/* The sampler: what it takes to sample the threads of this process.
 *
 * With the cpu clock the threads sample themselves (clock_sampling.h), and a thread of ours looks
 * where those sleep that ran, while any does. With the wall clock that thread wakes at the interval
 * and records where the others are.
 *
 * A tick has two halves. At its time the sampler asks the threads that have run for snapshots, by
 * signal; at the next wake-up it takes what they copied, unwinds and writes it. So nobody waits for
 * anybody. A process whose threads have not run costs two readings of a clock. Follows
 * SamplerThread. */
#ifndef PROFD_AGENT_SAMPLER_H
#define PROFD_AGENT_SAMPLER_H

#include <stdbool.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"

/* Begins for a session; both arguments are borrowed until sampler_stop(). Threads' own clocks run
 * from here on, but what takes a thread of ours waits for sampler_start_thread(), or is done by
 * sampler_run_maintenance() instead. 0 or -errno. */
int sampler_start(const struct session_settings *settings, struct chunk_manager *manager);

/* After sampler_start() and before sampler_start_thread(): it goes on where sampler_stop() ended,
 * and what threads used in between counts. With the wall clock, only where ARE_THREADS_THE_SAME
 * that are sampled. */
void sampler_resume(bool are_threads_the_same);

/* Nothing without a session, or when the thread is there. */
void sampler_start_thread(void);

/* profd does for the calling thread, the only one, what such a thread would do for its clock. */
void sampler_follow_alone(void);

/* Whether there is a thread of ours that samples or looks, or must be for this session. */
bool sampler_has_thread(void);

/* In a signal handler: whether nobody is at a tick. */
bool sampler_is_free(void);

/* In the handler of the only thread: what a thread of ours would do now and then. */
void sampler_run_maintenance(void);

/* Takes the last snapshots and ends the thread. */
void sampler_stop(void);

void sampler_set_paused(bool is_paused);

/* Samples are to come each INTERVAL_NS from here on; those of perf's events stay as they are. Not
 * in signal handlers. */
void sampler_set_interval(uint64_t interval_ns);

/* Takes the snapshots of the tick under way now. Any thread but the sampler. */
void sampler_flush(void);

/* The same as the process exits, unless the sampler is at it for long: nobody waits for more than a
 * moment. */
void sampler_flush_at_exit(void);

/* Around fork: the sampler rests meanwhile, so that no lock of the C library is held by it. */
void sampler_before_fork(void);
void sampler_after_fork_parent(void);
void sampler_unlock_in_child(void);
void sampler_after_fork_child(void);

#endif
