/* Sampling by the clocks of the threads themselves. Each thread is interrupted when it has used an
 * interval of CPU time; in the handler it unwinds itself and writes a block into shared memory.
 *
 * With the perf clock, the looking thread opens an event for each thread (perf_keeper.h), or profd
 * does so for the only thread (borrowed_event.h). Until then, and if the kernel refuses, the
 * thread's timer triggers its samples.
 *
 * A sample stands for the CPU time since the thread's previous sample. What is left when a thread
 * ends or a capture is made is recorded without a stack, so that the sum over a thread is its CPU
 * clock. */
#ifndef PROFD_AGENT_CLOCK_SAMPLING_H
#define PROFD_AGENT_CLOCK_SAMPLING_H

#include <signal.h>
#include <stdbool.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"
#include "child-agent/threads/thread_registration.h"

/* Starts clock sampling for a session. The clocks run once clock_sampling_follow() has been called
 * for their threads. This and the following functions are called by one thread at a time, unless
 * stated otherwise. */
void clock_sampling_start(const struct session_settings *settings);

/* Stops sampling. Clocks that still run are ignored. */
void clock_sampling_stop(void);

/* Called when the process has or will soon have several threads. Prepares what serves threads that
 * cannot get a timer of their own. Also without a session: timers may be available only now. */
void clock_sampling_prepare_threads(void);

/* Tries again to start the clocks of threads that were refused one, since timers may have become
 * available. */
void clock_sampling_retry_refused(void);

/* Ends sampling because the program is about to forbid system calls, and nobody can tell which
 * ones. Any thread; not in signal handlers. */
void clock_sampling_give_up(void);

/* Called when the program is about to forbid system calls, but not those that a sample needs
 * (filter_calls.h). Sampling continues with the process's timer alone, and only a thread itself
 * reads its clock. Called after clock_sampling_give_up(). Returns false if there is no session or
 * no such timer; sampling has then ended. */
bool clock_sampling_go_quiet(void);

/* Called in the handler instead of clock_sampling_take(). Discards what the thread has used. */
void clock_sampling_skip(struct thread_registration *self, const siginfo_t *info);

/* Called in the handler instead of clock_sampling_take() while there is no session yet. What was
 * used is recorded with the first sample. */
void clock_sampling_wait(struct thread_registration *self, const siginfo_t *info);

/* Records in the arena why this process does not have the requested clock. */
void clock_sampling_refuse(enum clock_refusal refusal);

/* Records in the arena that the thread of the agent's which a clock takes could not be made, or
 * that there is one now. The threads' timers serve meanwhile. */
void clock_sampling_note_thread(bool is_there);

/* Sets whether sampling is paused. clock_sampling_follow() must be called afterwards to start or
 * stop the clocks. */
void clock_sampling_set_paused(bool is_paused);

/* Continues the clocks that were running when the previous session ended, at the interval of this
 * session. What their threads used in between counts. */
void clock_sampling_resume(void);

/* Sets the interval of the threads' timers. clock_sampling_follow() must be called afterwards. */
void clock_sampling_set_interval(uint64_t interval_ns);

/* Called when what is recorded of THREAD may have changed. Starts or stops its clock. Under the
 * registry's lock, or by the thread itself. */
void clock_sampling_follow(struct thread_registration *thread);

/* Called when SELF, the calling thread, needs the sampling signal for the program, or no longer
 * needs it. Stops or starts its clock. This and the next function may be used in signal
 * handlers. */
void clock_sampling_follow_yield(struct thread_registration *self);

/* Makes the clock of SELF, the calling thread, use the current sampling signal. On return its timer
 * no longer sends any other signal; for its event see clock_sampling_await_event(). */
void clock_sampling_change_signal(struct thread_registration *self);

/* Waits until the event of SELF, the calling thread, no longer sends UNWANTED_SIGNAL, but at most a
 * tenth of a second, since others control the event. Not in the agent's handler. */
void clock_sampling_await_event(const struct thread_registration *self, int unwanted_signal);

/* Called when THREAD has ended. Stops its clock; its slot may then go to another thread. Under the
 * registry's lock. */
void clock_sampling_leave(struct thread_registration *thread);

/* Records what THREAD used and no sample stands for. Under the registry's lock, or by the thread
 * itself. */
void clock_sampling_record_rest(struct thread_registration *thread);

/* Like clock_sampling_record_rest(), at the end of the calling thread. Waits a few milliseconds for
 * the means to record it. */
void clock_sampling_record_last(struct thread_registration *self);

/* Returns whether INFO is of a thread's clock rather than the program's own signal. For
 * handlers. */
bool clock_sampling_is_signal(const siginfo_t *info);

/* Handles a signal of a thread's clock. Called in the handler. */
void clock_sampling_take(struct thread_registration *self, const siginfo_t *info, void *context);

/* Perf events of threads, for the looking thread. It calls begin first (HAS_OWN_DESCRIPTORS says
 * whether it has a descriptor table of its own), update whenever it was woken, to open and close
 * events (true: a clock had changed), and end to close all of them. */
void clock_sampling_begin_events(bool has_own_descriptors);
bool clock_sampling_update_events(void);
void clock_sampling_end_events(void);

/* If there is no looking thread, profd keeps the event of the calling thread, the only one of the
 * program, until it is returned so that the thread can have its own. Without effect if events are
 * not used. */
void clock_sampling_borrow_event(void);
void clock_sampling_return_event(void);

/* Called in a forked child, whose only thread is SELF (NULL: not registered). */
void clock_sampling_after_fork_child(struct thread_registration *self);

#endif
