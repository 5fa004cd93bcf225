/* What the parts of the agent need from the agent as a whole, which they know nothing about.
 *
 * The agent passes its table when it begins, before anything is recorded. If it does nothing in
 * this process, there is no table, and these calls do nothing. A call may be used in signal
 * handlers only if its comment says so. */
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

/* Sets TABLE, which is borrowed for good. Called from the constructor. */
void upcalls_begin(const struct upcalls *table);

/* Wakes the process if it is dormant. Any thread, also in signal handlers. */
void upcall_wake(void);

/* Called before something that needs a session, or that puts profd out of reach. Any thread, also
 * in signal handlers. */
static inline void upcall_end_dormancy(void)
{
    if (__builtin_expect(core_local.is_dormant, 0))
        upcall_wake();
}

/* Starts the agent threads of a process that has none, because the program asks for something that
 * needs one. */
void upcall_ensure_thread(void);

/* Ends the agent's threads, because the calling thread is the last one of the program. */
void upcall_end_threads(void);

/* Creates the arena if there is none. Any thread of the program. Returns 0 or -errno; -ENOSYS
 * without an agent. */
int upcall_make_arena(void);

/* Makes a resting process join the active session. Also in signal handlers. */
void upcall_look_for_session(void);

/* Announces that an agent thread receives messages from now on. */
void upcall_begin_messages(void);

/* Handles a tick of the calling thread's clock, with the INFO and CONTEXT of its signal. Called in
 * the handler. */
void upcall_take_tick(const siginfo_t *info, void *context);

#endif
