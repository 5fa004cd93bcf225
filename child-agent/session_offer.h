/* What the lease ledger says of the session that is on: its word, and its terms on the board
 * (buffer/session_word.h, session_board.h). For processes to which nobody else tells it.
 *
 * Any one thread; also in signal handlers. */
#ifndef PROFD_AGENT_SESSION_OFFER_H
#define PROFD_AGENT_SESSION_OFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "child-agent/session.h"

/* The generation of the session that is on; 0: none, or no ledger says. */
uint32_t session_offer_generation(void);

/* Whether that is the session of SETTINGS, on the same terms. */
bool session_offer_is(const struct session_settings *settings);

/* The session that is on, with its pauses as they are now. False when there is none, or when what
 * stands there makes no sense. */
bool session_offer_read(struct session_settings *out);

#endif
