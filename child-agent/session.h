/* The session: active state, from start to stop. Modelled on ActivePS.
 *
 * There is one session at a time. A generation number keeps what was in progress for an old session
 * out of a new one. One thread at a time starts and stops sessions: the constructor, a forked
 * child, then the agent thread. */
#ifndef PROFD_AGENT_SESSION_H
#define PROFD_AGENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"

/* Starts a session, and stops another one first if necessary. Returns 0, or -errno with no
 * session. */
int session_start(const struct session_settings *settings);

/* Keeps SETTINGS for session_start_prepared(). A forked child has those of its parent. If only the
 * terms of the prepared session change, the pushed labels are kept. */
void session_prepare(const struct session_settings *settings);

/* Tells programs that what they record is wanted although there is no session yet. From now on the
 * ledger's word decides about pauses. */
void session_invite_records(void);

/* Forgets the prepared session. */
void session_forget_prepared(void);

/* Starts the prepared session, or in a forked child that of the parent. Returns 0, also if there is
 * none, or -errno. */
int session_start_prepared(void);

/* Returns the settings that session_start_prepared() would start with; NULL if there are none. */
const struct session_settings *session_prepared_settings(void);

/* Return whether the ledger's word still names the prepared session, and whether that is paused. */
bool session_prepared_is_current(void);
bool session_prepared_is_paused(void);

/* Returns why the latest session could not be started; 0 if it could, or if there was none. */
int session_start_error(void);

/* Ends the session after waiting until no thread is recording. What was recorded is discarded,
 * since nobody can ask for it any more. */
void session_stop(void);

/* Ends the session, but keeps what was recorded. The next session continues with it, whatever its
 * settings. */
void session_suspend(void);

/* Discards what a suspended session recorded if profd's session is another one by now, or over. */
void session_discard_unwanted(void);

/* Continues the active session with other SETTINGS of the same generation. What was recorded and
 * the pushed labels are kept. Returns as session_start(); after an error there is no session, but
 * what was recorded is kept. */
int session_renew(const struct session_settings *settings);

/* Samples the session that profd began at INTERVAL_NS, if that is finer than its own interval, for
 * as long as it is active; 0 restores its own interval. */
void session_set_finer_interval(uint64_t interval_ns);

/* Makes LEDGER (borrowed) pay for the arena from now on. There must be no session, or only a
 * suspended one. If what was recorded is more than the ledger can pay for, the oldest part is
 * dropped. Returns 0, or -ENOSPC if not even the dictionary can be kept; nothing is kept then. */
int session_move_lease(struct lease_ledger *ledger);

/* Returns whether the active or suspended session has recorded anything. */
bool session_has_records(void);

/* Returns whether there was a session of which nothing is left. */
bool session_was_ended(void);

/* Returns the settings of the latest session, which may be over. */
const struct session_settings *session_last_settings(void);

/* Sets the triggers of a session that began without any from the environment. LINES has at most
 * TRIGGER_LINES_BYTES. Returns 0 or -EPROTO. */
int session_add_marker_triggers(const char *lines);

void session_pause(void);
void session_resume(void);

/* Pause and resume only samples and counters; markers and labels continue. The profile's log tells
 * when. */
void session_pause_sampling(void);
void session_resume_sampling(void);

bool session_is_active(void);

/* Returns whether the session was started by the program or its environment, not by profd. */
bool session_is_own(void);

/* Called when an agent thread begins to receive messages. What the word said last no longer
 * counts. */
void session_begin_messages(void);

/* Called in the handler of a thread's clock, where no agent thread receives messages. Obeys the
 * ledger's word (buffer/session_word.h). Returns false if nothing is to be sampled now. */
bool session_follow_word(void);

/* Returns the generation of the session; 0 without one. */
uint32_t session_generation(void);

/* Return the chunk manager and the settings of the active session; NULL without one. */
struct chunk_manager *session_chunk_manager(void);
const struct session_settings *session_get_settings(void);

/* Writes out what the sampler still holds, so that a reader of the arena sees everything. */
void session_flush(void);

/* Drops what is the parent's in a forked child, which inherits the settings. */
void session_after_fork_child(void);

#endif
