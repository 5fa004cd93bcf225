/* What the files of the session share.
 *
 * session_state.c holds the active session and what programs may record of it. session_pauses.c
 * pauses it. session.c begins and ends it, and knows both. session_prepared.c holds the session
 * that waits until an agent thread or an arena exists, and makes session.c begin it. */
#ifndef PROFD_AGENT_SESSION_INSIDE_H
#define PROFD_AGENT_SESSION_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/session_word.h"
#include "child-agent/session.h"

struct session_now {
    struct session_settings settings; /* if the generation is 0 there is no session, and the rest is
                                       * that of the latest one */
};

extern struct session_now session_now;

/* --- session_state.c --- */

/* Returns the bits that programs test before they record anything. */
uint32_t session_recording_bits(uint64_t features, bool is_paused);

/* Lets programs record into the session as far as it allows. */
void session_open_recording(bool is_paused);

/* Returns what the ledger's word says about the session that was started. Without a ledger the word
 * names the current session; if profd has ended, it names none. */
struct session_word session_read_word(void);

/* --- session_pauses.c --- */

/* Record in the dictionary that a session with SETTINGS begins paused, or that its pauses end.
 * Records that find no room are counted there. */
void session_describe_pauses(const struct session_settings *settings);
void session_end_pauses(const struct session_settings *settings);

/* --- session.c --- */

/* Gives the next session a new number, as counted by this process. */
void session_count(void);

/* Starts the session that was counted last. Returns as session_start(). */
int session_start_counted(const struct session_settings *settings);

#endif
