/* What the parts of the agent ask of it as a whole, of which they know nothing.
 *
 * The agent hands over its table when it begins, before anything is recorded. Where it does
 * nothing there is no table, and nothing is asked. Unless it says so, a call is not for signal
 * handlers. */
#ifndef PROFD_AGENT_UPCALLS_H
#define PROFD_AGENT_UPCALLS_H

#include <signal.h>

#include "child-agent/core.h"

struct upcalls {
    void (*wake)(void);                                      /* dormancy_wake() */
    void (*ensure_thread)(void);                             /* agent_presence_ensure_thread() */
    void (*end_threads)(void);                               /* one_thread_stop_agent_threads() */
    int (*make_arena)(void);                                 /* one_thread_make_shared_arena() */
    void (*look_for_session)(void);                          /* resting_look() */
    void (*begin_messages)(void);                            /* session_begin_messages() */
    void (*take_tick)(const siginfo_t *info, void *context); /* clock_tick_take() */
};

/* TABLE is borrowed for good. From the constructor. */
void upcalls_begin(const struct upcalls *table);

/* Wakes the process if it is dormant. Any thread, also in signal handlers. */
void upcall_wake(void);

/* What is about to be done needs a session, or puts profd out of reach. As upcall_wake(). */
static inline void upcall_end_dormancy(void)
{
    if (__builtin_expect(core_local.is_dormant, 0))
        upcall_wake();
}

/* A process without threads of ours gets them now: the program asks for something that takes one.
 */
void upcall_ensure_thread(void);

/* Ends the threads of ours: the calling one is the program's last. */
void upcall_end_threads(void);

/* Makes the arena if there is none; any thread of the program. 0 or -errno; -ENOSYS without an
 * agent. */
int upcall_make_arena(void);

/* A process that rests joins the session that is on by now. Also in signal handlers. */
void upcall_look_for_session(void);

/* A thread of ours hears messages from here on. */
void upcall_begin_messages(void);

/* The clock of the calling thread has ticked, with INFO and CONTEXT of its signal. In the handler.
 */
void upcall_take_tick(const siginfo_t *info, void *context);

#endif
