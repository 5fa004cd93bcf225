/* The session board: what a process without an agent thread has to know about a session that
 * begins.
 *
 * profd writes it into the lease ledger's file before the session word (session_word.h) names the
 * new session. A process that is running then and belongs to no session finds here what the session
 * asks for. The board is a sequence lock: only profd writes it; any thread of any process may read
 * it, also in signal handlers. Since a process may have overwritten it by accident, readers check
 * every number before they use it. */
#ifndef PROFD_BUFFER_SESSION_BOARD_H
#define PROFD_BUFFER_SESSION_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/session_word.h"

enum { SESSION_BOARD_FILTERS_BYTES = 4096 + 8, SESSION_BOARD_TRIGGERS_BYTES = 2048 };

/* The same terms as in the message that starts a session (ipc/messages.h). */
struct session_terms {
    uint32_t generation; /* 0: no session */
    uint32_t clock;      /* enum sampling_clock */
    uint64_t interval_ns;
    uint64_t limit_bytes;
    uint64_t features;
    uint64_t allocation_interval_bytes;
    char filters[SESSION_BOARD_FILTERS_BYTES];          /* terminated */
    char marker_triggers[SESSION_BOARD_TRIGGERS_BYTES]; /* terminated */
    uint32_t revision; /* of these terms, which may change during the session */
};

struct session_board {
    _Atomic uint32_t sequence; /* odd while the terms are being written */
    struct session_terms terms;
};

/* Writes TERMS to the board. Called by profd only. */
void session_board_write(struct session_board *board, const struct session_terms *terms);

/* Copies the terms that WORD refers to into *OUT; its strings are terminated. Returns false if the
 * board holds other terms or changes meanwhile; the caller tries again later. */
bool session_board_read(const struct session_board *board, const struct session_word *word,
                        struct session_terms *out);

#endif
