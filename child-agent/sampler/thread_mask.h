/* The signals that a thread blocks as the program sees it, and those that it blocks in the kernel.
 *
 * Libraries block all signals to be left alone, but do not mean the sampling signal: it stays open,
 * and the program reads back what it asked for. If one of the program's own signals gets in that
 * way, it is sent back to be pending, this time blocked. A program that blocks that signal among
 * only a few means it: the agent then leaves the signal (sampling_signal.h), or does not sample the
 * thread while both need the same signal. If a program sets its mask past the C library, as Go
 * does, the agent follows as soon as the mask shows it.
 *
 * Called by the thread itself. All functions except thread_mask_adopt() may be used in signal
 * handlers. */
#ifndef PROFD_AGENT_THREAD_MASK_H
#define PROFD_AGENT_THREAD_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"

/* Opens the sampling signal in a thread that is registered. */
void thread_mask_adopt(void);

/* Fills OWN with what a thread inherits that the calling thread is about to create. */
void thread_mask_inherit(struct thread_own_data *own);

/* Called around the creation of a thread, which inherits the mask as the program sees it: before
 * the thread is registered, nothing would put back a signal that gets in. Pass the result of the
 * first function to the second. */
uint64_t thread_mask_close(void);
void thread_mask_reopen(uint64_t closed);

/* pthread_sigmask() as the program sees it. Returns an error number. */
int thread_mask_change(int how, const sigset_t *set, sigset_t *old_set);

/* The signals that were blocked only as the program sees it, before a change past the C library. */
struct raw_mask_change {
    uint64_t held_open;
};

/* Called before and after a change of the mask that the program makes by the number of the system
 * call, with HOW, SET and OLD_SET (both may be NULL). The second function corrects OLD_SET. */
void thread_mask_before_raw(struct raw_mask_change *change);
void thread_mask_after_raw(const struct raw_mask_change *change, int how, const uint64_t *set,
                           uint64_t *old_set);

/* Notes that the program means the signals of SET in particular, to wait for them or to read
 * them. */
void thread_mask_use(const sigset_t *set);

/* Stops the agent from interrupting the calling thread. */
void thread_mask_yield(void);

/* Makes the thread's clock and mask follow the sampling signal, if it has moved. On return nothing
 * of the agent comes by the old signal any more, unless those who keep perf events are stopped. */
void thread_mask_settle(void);

/* Like thread_mask_settle(), in the handler of a signal with CONTEXT, whose mask the thread has
 * afterwards. Does not wait, so an event may still come by the old signal until the program's next
 * call. */
void thread_mask_settle_in_handler(void *context);

/* Called in the handler when signal NUMBER, which is the program's own, came to the calling thread.
 * If the program blocks it there, sends it back to be pending and returns true; but not behind a
 * filter of system calls, which may forbid to send it again. */
bool thread_mask_put_back(int number, siginfo_t *info, void *context);

#endif
