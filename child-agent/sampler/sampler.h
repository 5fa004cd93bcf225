/* The sampler: samples the threads of this process.
 *
 * With the cpu clock, the threads sample themselves (clock_sampling.h); while any thread runs,
 * the agent's thread looks where those sleep that have run (looker.h). With the wall clock, a
 * thread of the sampler's own wakes at each interval and looks where the others are.
 *
 * Its ticks have two halves. When one is due, the sampler looks at the threads that have run, and
 * asks those whose stacks cannot be followed from outside for snapshots, by signal. At the next
 * wake-up it unwinds and writes what they have copied. So nobody waits for anybody. A process whose
 * threads have not run costs two readings of a clock. Modelled on SamplerThread. */
#ifndef PROFD_AGENT_SAMPLER_H
#define PROFD_AGENT_SAMPLER_H

#include <stdbool.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"

/* Starts the sampler for a session. Both arguments are borrowed until sampler_stop(). The threads'
 * own clocks run from now on. What needs an agent thread waits for sampler_start_thread(), or is
 * done by sampler_run_maintenance() instead. Returns 0 or -errno. */
int sampler_start(const struct session_settings *settings, struct chunk_manager *manager);

/* Continues where sampler_stop() ended, and counts what threads used in between. With the wall
 * clock, only if ARE_THREADS_THE_SAME that are sampled. Called after sampler_start() and before
 * sampler_start_thread(). */
void sampler_resume(bool are_threads_the_same);

/* Has a thread sample or look for the session: with the wall clock one of the sampler's own, and
 * otherwise the agent's thread. In a process that never had one, that of the sampler looks as well.
 * Does nothing without a session, or if that was done. */
void sampler_start_thread(void);

/* Says whether there is an agent thread, which is then the looking one (looker.h). Called before it
 * begins, and after it has ended. Any thread. */
void sampler_note_agent_thread(bool is_there);

/* Lets profd do for the calling thread, the only one, what the looking thread would do for its
 * clock. */
void sampler_follow_alone(void);

/* Returns whether there is an agent thread that samples or looks, or there must be one for this
 * session. */
bool sampler_has_thread(void);

/* Returns whether there is a session, and no thread that samples or looks. */
bool sampler_lacks_thread(void);

/* Returns whether nobody is working on a tick. For signal handlers. */
bool sampler_is_free(void);

/* Does in the handler of the only thread what the looking thread would do from time to time. */
void sampler_run_maintenance(void);

/* Takes the last snapshots and ends the sampler's own thread. The agent's is not waited for. */
void sampler_stop(void);

void sampler_set_paused(bool is_paused);

/* Changes the interval between samples to INTERVAL_NS, except for samples of perf events. Not in
 * signal handlers. */
void sampler_set_interval(uint64_t interval_ns);

/* Takes the snapshots of the current tick now. Any thread but the sampler's. */
void sampler_flush(void);

/* Like sampler_flush(), when the process exits. Does nothing if the sampler is busy for long:
 * nobody waits for more than a moment. */
void sampler_flush_at_exit(void);

/* Called around fork. The sampler rests meanwhile, so that it holds no lock of the C library. */
void sampler_before_fork(void);
void sampler_after_fork_parent(void);
void sampler_unlock_in_child(void);
void sampler_after_fork_child(void);

#endif
