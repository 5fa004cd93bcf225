/* What the lease ledger says about the active session: its word, and its terms on the board
 * (buffer/session_word.h, session_board.h). For processes that nobody else tells about it.
 *
 * Any thread, but one at a time; also in signal handlers. */
#ifndef PROFD_AGENT_SESSION_OFFER_H
#define PROFD_AGENT_SESSION_OFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session.h"

/* Returns the generation of the active session; 0 if there is none, or no ledger says. */
uint32_t session_offer_generation(void);

/* Returns whether the active session is that of SETTINGS, on the same terms. */
bool session_offer_is(const struct session_settings *settings);

/* Reads the active session, with its current pauses. Returns false if there is none, or if what is
 * stored makes no sense. */
bool session_offer_read(struct session_settings *out);

#endif
