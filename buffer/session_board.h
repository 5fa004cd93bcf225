/* The session board: what processes without an agent thread have to know about a session that
 * begins.
 *
 * profd writes it into the lease ledger's file before the session's word (session_word.h) names the
 * new session; a process that runs then and belongs to no session finds here what the session asks
 * for. A sequence lock: profd alone writes, any thread of any process reads, also in signal
 * handlers. A process may have written here by accident, so every reader checks each number before
 * it obeys it. */
#ifndef PROFD_BUFFER_SESSION_BOARD_H
#define PROFD_BUFFER_SESSION_BOARD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "buffer/session_word.h"

enum { SESSION_BOARD_FILTERS_BYTES = 4096 + 8, SESSION_BOARD_TRIGGERS_BYTES = 2048 };

/* As in the message that starts a session (ipc/messages.h). */
struct session_terms {
    uint32_t generation; /* 0: no session */
    uint32_t clock;      /* enum sampling_clock */
    uint64_t interval_ns;
    uint64_t limit_bytes;
    uint64_t features;
    uint64_t allocation_interval_bytes;
    char filters[SESSION_BOARD_FILTERS_BYTES];          /* terminated */
    char marker_triggers[SESSION_BOARD_TRIGGERS_BYTES]; /* likewise */
    uint32_t revision; /* of these terms, which may change while the session is on */
};

struct session_board {
    _Atomic uint32_t sequence; /* odd while it is written */
    struct session_terms terms;
};

/* By profd alone. */
void session_board_write(struct session_board *board, const struct session_terms *terms);

/* The terms that WORD names, whose strings are terminated. False when others stand there, or they
 * change meanwhile: another time. */
bool session_board_read(const struct session_board *board, const struct session_word *word,
                        struct session_terms *out);

#endif
