/* Sampling by the clocks of the threads themselves: each is interrupted when it has used an
 * interval of CPU time, and in the handler unwinds itself and writes a block into shared memory.
 *
 * With the perf clock the thread that looks opens an event for each thread (perf_keeper.h), or
 * profd does for the only one (borrowed_event.h); until then, and where the kernel refuses, the
 * thread's timer gives its samples.
 *
 * A sample stands for the CPU time since the thread's last one; what is left when a thread ends or
 * a capture is made is told without a stack, so that the sum over a thread is its CPU clock. */
#ifndef PROFD_AGENT_CLOCK_SAMPLING_H
#define PROFD_AGENT_CLOCK_SAMPLING_H

#include <signal.h>
#include <stdbool.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"
#include "child-agent/threads/thread_registration.h"

/* For a session; clocks run once clock_sampling_follow() has been called for their threads. One
 * thread at a time, as all that follow but where it says otherwise. 0. */
int clock_sampling_start(const struct session_settings *settings);

/* From here on nothing is sampled; clocks that still run are ignored. */
void clock_sampling_stop(void);

/* The process has several threads, or soon will: makes ready what serves those that will be refused
 * a timer of their own. Also without a session: timers may be left only now. */
void clock_sampling_prepare_threads(void);

/* The session has another clock, which needs none of that. */
void clock_sampling_do_without(void);

/* Starts the clocks of threads that were refused one, should timers be left again. */
void clock_sampling_retry_refused(void);

/* The program is about to forbid system calls: nobody can tell which, so that sampling ends. Any
 * thread, not in signal handlers. */
void clock_sampling_give_up(void);

/* The program is about to forbid system calls, but not those that a sample takes (filter_calls.h):
 * sampling goes on with the process' timer alone, and a thread is asked for its clock only by
 * itself. After clock_sampling_give_up(), which is all there is where this returns false: there is
 * no session, or no such timer. */
bool clock_sampling_go_quiet(void);

/* In the handler, instead of clock_sampling_take(): what was used counts for nobody. */
void clock_sampling_skip(struct thread_registration *self, const siginfo_t *info);

/* Likewise while there is no session yet: what was used is told with the first sample. */
void clock_sampling_wait(struct thread_registration *self, const siginfo_t *info);

/* Says in the arena why this process has not the clock that was asked for. */
void clock_sampling_refuse(enum clock_refusal refusal);

/* Clocks are started and stopped by clock_sampling_follow() afterwards. */
void clock_sampling_set_paused(bool is_paused);

/* The clocks that ran when the session before this one ended go on in this one, at its interval:
 * what their threads used in between counts. */
void clock_sampling_resume(void);

/* Of the threads' timers; likewise. */
void clock_sampling_set_interval(uint64_t interval_ns);

/* What is recorded of THREAD may have changed: its clock is started or stopped. Under the
 * registry's lock, or by the thread itself. */
void clock_sampling_follow(struct thread_registration *thread);

/* SELF, the calling thread, needs the sampling signal for the program, or no longer: its clock is
 * stopped or started. Also in signal handlers, as the next. */
void clock_sampling_follow_yield(struct thread_registration *self);

/* The clock of SELF, the calling thread, goes on with the sampling signal as it is now. When it
 * returns, its timer sends no other; for its event see clock_sampling_await_event(). */
void clock_sampling_change_signal(struct thread_registration *self);

/* Waits until the event of SELF, the calling thread, no longer sends UNWANTED_SIGNAL; for a tenth
 * of a second at most, since it is in the hands of others. Not in our handler. */
void clock_sampling_await_event(const struct thread_registration *self, int unwanted_signal);

/* THREAD has ended: its clock is stopped, and its slot may be another's. Under the registry's lock.
 */
void clock_sampling_leave(struct thread_registration *thread);

/* Tells what THREAD used and no sample stands for. Under the registry's lock, or by the thread
 * itself. */
void clock_sampling_record_rest(struct thread_registration *thread);

/* The same at the end of the calling thread: waits a few milliseconds for the means to tell it. */
void clock_sampling_record_last(struct thread_registration *self);

/* Whether INFO is of a thread's clock, and not the program's own signal. In handlers. */
bool clock_sampling_is_signal(const siginfo_t *info);

/* In the handler, with a signal of a thread's clock. */
void clock_sampling_take(struct thread_registration *self, const siginfo_t *info, void *context);

/* Events of threads, for those who look where they sleep. The looking thread, whose table of
 * descriptors is its own if HAS_OWN_DESCRIPTORS: begins, then opens and closes whenever it was
 * woken (true: somebody's clock had changed), and closes all at its end. */
void clock_sampling_begin_events(bool has_own_descriptors);
bool clock_sampling_update_events(void);
void clock_sampling_end_events(void);

/* Where there is no such thread: profd keeps the event of the calling thread, the only one of the
 * program, until it is returned, for that thread to have its own. Without effect where no events
 * are used. */
void clock_sampling_borrow_event(void);
void clock_sampling_return_event(void);

/* In a forked child, whose only thread is SELF (NULL: not registered). */
void clock_sampling_after_fork_child(struct thread_registration *self);

#endif
