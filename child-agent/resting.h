/* Resting: the state of a process without an agent thread while no session is active.
 *
 * Nobody tells such a process that a session begins. Instead it checks the session word
 * (buffer/session_word.h) from time to time: at the ticks of a coarse clock of its only thread,
 * which advances with CPU time, at each marker, and at each call in which the program waits
 * (interpose_sleeps.c). It joins a session on the terms on the board (buffer/session_board.h). When
 * the session is over, the thread notices at its next tick and rests again.
 *
 *     in a session ──its word is gone──▶ resting ──a session's word──▶ in that session
 *                                           └──second thread──▶ profd's messages tell
 *
 * Called by the only thread and its signal handlers. */
#ifndef PROFD_AGENT_RESTING_H
#define PROFD_AGENT_RESTING_H

#include <stdbool.h>

#include "child-agent/core.h"
#include "child-agent/session_settings.h"

/* Joins a session with SETTINGS. Called with all signals blocked. */
typedef void resting_join(const struct session_settings *settings);

/* Rests until JOIN can be called. If JOIN is NULL, the session is started in the existing arena.
 * Returns 0, or -errno if nobody looks for sessions. */
int resting_begin(resting_join *join);

/* Called in the handler of the coarse clock's signal. Joins the active session if there is one and
 * the process can join it here. */
void resting_tick(void);

/* Returns the settings of the active session, reduced to what a handler can begin and a process
 * without an agent thread can record; NULL if there is none. Borrowed until the next call. */
const struct session_settings *resting_read_offer(void);

/* Called after that session has begun. Reports which of its parts are not available here, and notes
 * whether it needs an agent thread. */
void resting_note_rest(void);

/* Called when something is about to be recorded. Joins the active session, as resting_tick() does,
 * and calls reunion_look(). */
void resting_look(void);

static inline void resting_note_record(void)
{
    if (__builtin_expect(core_local.is_resting, 0))
        resting_look();
}

/* Called when the program is about to wait for something and holds no lock of the C library. Does
 * what resting_look() and resting_follow_change() do, since a thread that waits has few ticks, and
 * starts agent threads if the session needs them, or they gave way and there may be places again.
 * Not in the agent's signal handlers. */
void resting_note_wait_slowly(void);

static inline void resting_note_wait(void)
{
    if (__builtin_expect(core_local.is_alone | core_local.is_resting | core_local.lacks_thread |
                             core_local.misses_threads,
                         0))
        resting_note_wait_slowly();
}

/* Called in the handler after any sampling. Rests if the session is over, joins another one, or
 * continues the session on other terms. */
void resting_follow_change(void);

/* Makes waits no longer check for sessions: an agent thread does so, or nothing does. */
void resting_end(void);

/* Called first in a forked child. */
void resting_after_fork_child(void);

#endif
