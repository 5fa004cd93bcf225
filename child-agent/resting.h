/* Resting: a process without a thread of ours while no session is on.
 *
 * Nobody tells it that one begins. A coarse clock of its only thread looks at the session's word
 * (buffer/session_word.h) now and then, where CPU time is used, and so does each marker, and each
 * call in which the program waits (interpose_sleeps.c); it joins by what stands on the board
 * (buffer/session_board.h). When the session is over, the thread finds out at its next tick, and
 * rests again.
 *
 *     in a session ──its word is gone──▶ resting ──a session's word──▶ in that session
 *                                           └──second thread──▶ profd's messages tell
 *
 * One thread, and its signal handlers. */
#ifndef PROFD_AGENT_RESTING_H
#define PROFD_AGENT_RESTING_H

#include <stdbool.h>

#include "child-agent/core.h"
#include "child-agent/session_settings.h"

/* How a resting process takes part in a session with SETTINGS. All signals are blocked. */
typedef void resting_join(const struct session_settings *settings);

/* Rests until JOIN can be called; NULL: the session is started in the arena that there is. 0, or
 * -errno: then nobody looks for sessions. */
int resting_begin(resting_join *join);

/* In the handler, with a signal of the coarse clock: joins the session that is on, if there is one
 * and this is the place. */
void resting_tick(void);

/* The session that is on, as far as a handler can begin it and a process without a thread of ours
 * can have it; NULL: none. Borrowed until the next call. */
const struct session_settings *resting_read_offer(void);

/* It was begun: says what of it cannot be had here, and sees to a thread if it needs one. */
void resting_note_rest(void);

/* Something is to be recorded: likewise. */
void resting_look(void);

static inline void resting_note_record(void)
{
    if (__builtin_expect(core_local.is_resting, 0))
        resting_look();
}

/* The program is about to wait for something, and holds no lock of the C library's: likewise, and
 * as resting_follow_change(), since who waits has few ticks. The process gets threads of ours where
 * the session needs them. Not in signal handlers of ours. */
void resting_note_wait_slowly(void);

static inline void resting_note_wait(void)
{
    if (__builtin_expect(core_local.is_alone | core_local.is_resting | core_local.lacks_thread, 0))
        resting_note_wait_slowly();
}

/* In the handler, after what there was to sample: rests if the session is over, joins another one,
 * or goes on with it on other terms. */
void resting_follow_change(void);

/* From now on waits do not check for sessions: an agent thread does, or nothing. */
void resting_end(void);

/* In a forked child, first. */
void resting_after_fork_child(void);

#endif
