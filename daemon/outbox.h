/* Encodes a message and sends it: outbox_X() does message_put_X() and then connection_send().
 *
 * A connection that cannot take the message closes itself and tells its owner, so callers for whom
 * that is enough may ignore the negative errno that is returned. Loop thread: all calls share one
 * buffer. */
#ifndef PROFD_DAEMON_OUTBOX_H
#define PROFD_DAEMON_OUTBOX_H

#include "ipc/connection.h"
#include "ipc/messages.h"

#define X(name)                                                                                    \
    int outbox_##name(struct connection *connection, enum message_kind kind,                       \
                      const struct message_##name *message);
MESSAGE_CODECS(X)
#undef X

/* outbox_X() for a receiver that understands PROTOCOL_MINOR, a minor version of the protocol. */
#define X(name)                                                                                    \
    int outbox_##name##_for(uint64_t protocol_minor, struct connection *connection,                \
                            enum message_kind kind, const struct message_##name *message);
MESSAGE_GROWN_CODECS(X)
#undef X

/* Sends a message without fields. */
int outbox_empty(struct connection *connection, enum message_kind kind);

/* Sends a welcome together with LEDGER_FD (borrowed; -1: none). */
int outbox_welcome_with_ledger(struct connection *connection, const struct message_welcome *message,
                               int ledger_fd);

#endif
