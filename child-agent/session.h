/* The session: active state, from start to stop. Follows ActivePS.
 *
 * One at a time; a generation number keeps what was in flight for an old one out of a new one.
 * Started and stopped by one thread at a time: the constructor, a forked child, then the agent
 * thread. */
#ifndef PROFD_AGENT_SESSION_H
#define PROFD_AGENT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "buffer/chunk_manager.h"
#include "child-agent/session_settings.h"

/* Starts a session, after stopping another one if need be. 0 or -errno with no session. */
int session_start(const struct session_settings *settings);

/* Keeps SETTINGS for session_start_prepared(). A forked child has its parent's. Other terms of the
 * session that was prepared leave the labels that are pushed. */
void session_prepare(const struct session_settings *settings);

/* There is no session yet, but programs find that what they record is wanted. Pauses are the
 * ledger's word from here on. */
void session_invite_records(void);

/* There will be none. */
void session_forget_prepared(void);

/* Starts the session that was prepared, or in a forked child the parent's. 0, also when there is
 * none, or -errno. */
int session_start_prepared(void);

/* The settings that session_start_prepared() would start with; NULL: none. */
const struct session_settings *session_prepared_settings(void);

/* Whether the ledger's word still is of the session that was prepared, and whether it is paused. */
bool session_prepared_is_current(void);
bool session_prepared_is_paused(void);

/* Why the latest session could not be started; 0: it could, or there was none. */
int session_start_error(void);

/* Ends it: waits until no thread is recording. What was recorded goes: there is no way left to ask
 * for it. */
void session_stop(void);

/* Ends it, but what was recorded stays: the next session goes on with it, whatever its settings. */
void session_suspend(void);

/* The session that is on goes on with other SETTINGS, of the same generation: what was recorded and
 * the labels that are pushed stay. As session_start(); after an error there is no session, but what
 * was recorded. */
int session_renew(const struct session_settings *settings);

/* The session that profd began is sampled at INTERVAL_NS, when that is finer than its own, for as
 * long as it is on; 0: no longer. */
void session_set_finer_interval(uint64_t interval_ns);

/* Without a session, or with one that is suspended: LEDGER (borrowed) pays for the arena from here
 * on. Of what was recorded, the oldest goes when that is more than there is to be had. -ENOSPC when
 * not even the dictionary can stay: then nothing does. */
int session_move_lease(struct lease_ledger *ledger);

/* Whether there is something recorded: of the active session, or of one that is suspended. */
bool session_has_records(void);

/* Whether there was a session, and nothing of it is left. */
bool session_was_ended(void);

/* Of the latest session, which may be over. */
const struct session_settings *session_last_settings(void);

/* Sets the triggers (TRIGGER_LINES_BYTES at most) of a session that began without, from the
 * environment. 0 or -EPROTO. */
int session_add_marker_triggers(const char *lines);

void session_pause(void);
void session_resume(void);

/* Samples and counters alone: markers and labels go on. The profile's log tells when. */
void session_pause_sampling(void);
void session_resume_sampling(void);

bool session_is_active(void);

/* Whether it is one that no profd began: the program's, or of its environment. */
bool session_is_own(void);

/* From here on a thread of ours hears messages: what the word said last is over. */
void session_begin_messages(void);

/* In the handler of a thread's clock: obeys what the ledger's word says, where no thread of ours
 * hears messages (buffer/session_word.h). False when nothing is to be sampled now. */
bool session_follow_word(void);

/* 0 without a session. */
uint32_t session_generation(void);

/* Of the active session; NULL without. */
struct chunk_manager *session_chunk_manager(void);
const struct session_settings *session_get_settings(void);

/* Writes out what the sampler still holds, so that a reader of the arena sees all. */
void session_flush(void);

/* In a forked child, which inherits the settings: drops what is the parent's. */
void session_after_fork_child(void);

#endif
