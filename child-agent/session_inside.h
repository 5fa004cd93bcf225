/* What the files of the session share.
 *
 * session_state.c is the session that is on, and what of it programs may record; session_pauses.c
 * pauses it; session.c begins and ends it, and knows both; session_prepared.c has the one that
 * waits until a thread of ours, or an arena, is there, and has session.c begin it. */
#ifndef PROFD_AGENT_SESSION_INSIDE_H
#define PROFD_AGENT_SESSION_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/session_word.h"
#include "child-agent/session.h"

struct session_now {
    struct session_settings settings; /* generation 0: no session, they are the latest one's */
};

extern struct session_now session_now;

/* --- session_state.c --- */

/* The bits that programs test before they record anything. */
uint32_t session_recording_bits(uint64_t features, bool is_paused);

/* Lets programs record into the session as far as it goes. */
void session_open_recording(bool is_paused);

/* Of the session that was started, as the ledger has it; a session without a ledger stands. */
struct session_word session_read_word(void);

/* --- session_pauses.c --- */

/* A session may begin paused, and end so; both counted when full. */
void session_describe_pauses(const struct session_settings *settings);
void session_end_pauses(const struct session_settings *settings);

/* --- session.c --- */

/* The next session has another number in this process' own count. */
void session_count(void);

/* Starts the session that was counted last. As session_start(). */
int session_start_counted(const struct session_settings *settings);

#endif
