/* What a thread blocks in the program's eyes, and what it blocks in the kernel's.
 *
 * Libraries block all signals to be left alone, and the sampling signal is not among those that
 * they mean: it stays open, and the program reads back what it asked for. A signal of the program
 * that comes in that way goes back where it was, blocked this time. Who blocks that signal among
 * few means it: we leave it (sampling_signal.h), or do not sample the thread while both need the
 * same one. A program that sets its mask past the C library, as Go does, is believed as soon as the
 * mask shows it.
 *
 * By the thread itself; all but thread_mask_adopt() also in signal handlers. */
#ifndef PROFD_AGENT_THREAD_MASK_H
#define PROFD_AGENT_THREAD_MASK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/threads/thread_registration.h"

/* For a thread that is registered: lets the sampling signal through. */
void thread_mask_adopt(void);

/* For a thread that the calling one is about to make: OWN gets what it inherits. */
void thread_mask_inherit(struct thread_own_data *own);

/* Around the making of a thread, which inherits the mask as the program sees it: before it is
 * registered, nobody would put back what comes in. Returns what the second is to be given. */
uint64_t thread_mask_close(void);
void thread_mask_reopen(uint64_t closed);

/* pthread_sigmask() as the program sees it. Returns an error number. */
int thread_mask_change(int how, const sigset_t *set, sigset_t *old_set);

/* What was blocked in the program's eyes only, before a change past the C library. */
struct raw_mask_change {
    uint64_t held_open;
};

/* Around a change that the program has the kernel make by the number of the call: before, and once
 * it was made with HOW, SET and OLD_SET (both may be NULL), which is corrected. */
void thread_mask_before_raw(struct raw_mask_change *change);
void thread_mask_after_raw(const struct raw_mask_change *change, int how, const uint64_t *set,
                           uint64_t *old_set);

/* The program means the signals of SET in particular, to wait for them or to read them. */
void thread_mask_use(const sigset_t *set);

/* The calling thread is not to be interrupted by us any more. */
void thread_mask_yield(void);

/* Follows the sampling signal to where it is: the thread's clock, and what it blocks. Nothing when
 * it has. When it returns, nothing of ours comes by the old signal, unless those who keep perf
 * events are stopped. */
void thread_mask_settle(void);

/* The same in the handler of a signal that left CONTEXT, whose mask is the thread's afterwards.
 * Does not wait: an event may still come by the old signal, until the program next calls. */
void thread_mask_settle_in_handler(void *context);

/* Signal NUMBER, which is the program's own, came to the calling thread. When the program blocks it
 * there, it goes back to be pending, and true is returned; but not behind a filter of system calls,
 * which may forbid to send it again. In the handler. */
bool thread_mask_put_back(int number, siginfo_t *info, void *context);

#endif
