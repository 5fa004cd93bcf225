/* Encodes a message and sends it: outbox_X() is message_put_X() and connection_send().
 *
 * A connection that cannot take it closes by itself and tells its owner so; the returned negative
 * errno may be ignored where that is enough. Loop thread: all share one buffer. */
#ifndef PROFD_DAEMON_OUTBOX_H
#define PROFD_DAEMON_OUTBOX_H

#include "ipc/connection.h"
#include "ipc/messages.h"

#define X(name)                                                                                    \
    int outbox_##name(struct connection *connection, enum message_kind kind,                       \
                      const struct message_##name *message);
MESSAGE_CODECS(X)
#undef X

/* outbox_X() for who understands that minor version of the protocol. */
#define X(name)                                                                                    \
    int outbox_##name##_for(uint64_t protocol_minor, struct connection *connection,                \
                            enum message_kind kind, const struct message_##name *message);
MESSAGE_GROWN_CODECS(X)
#undef X

/* A message without fields. */
int outbox_empty(struct connection *connection, enum message_kind kind);

/* A welcome with LEDGER_FD (borrowed; -1: none) beside it. */
int outbox_welcome_with_ledger(struct connection *connection, const struct message_welcome *message,
                               int ledger_fd);

#endif
