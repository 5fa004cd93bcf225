#include "daemon/outbox.h"

#include <fcntl.h>

#include "daemon/log.h"

static uint8_t outbox_buffer[MESSAGE_MAX_BYTES];

static int send_encoded(struct connection *connection, enum message_kind kind, long length)
{
    if (length < 0) {
        log_error("cannot encode %s (%ld)", message_kind_name(kind), length);
        return (int)length;
    }
    return connection_send(connection, outbox_buffer, (size_t)length, NULL, 0);
}

#define X(name)                                                                                    \
    int outbox_##name(struct connection *connection, enum message_kind kind,                       \
                      const struct message_##name *message)                                        \
    {                                                                                              \
        return send_encoded(                                                                       \
            connection, kind,                                                                      \
            message_put_##name(outbox_buffer, sizeof(outbox_buffer), kind, message));              \
    }
MESSAGE_CODECS(X)
#undef X

#define X(name)                                                                                    \
    int outbox_##name##_for(uint64_t protocol_minor, struct connection *connection,                \
                            enum message_kind kind, const struct message_##name *message)          \
    {                                                                                              \
        return send_encoded(connection, kind,                                                      \
                            message_put_##name##_for(protocol_minor, outbox_buffer,                \
                                                     sizeof(outbox_buffer), kind, message));       \
    }
MESSAGE_GROWN_CODECS(X)
#undef X

int outbox_empty(struct connection *connection, enum message_kind kind)
{
    return send_encoded(connection, kind,
                        message_put_empty(outbox_buffer, sizeof(outbox_buffer), kind));
}

int outbox_welcome_with_ledger(struct connection *connection, const struct message_welcome *message,
                               int ledger_fd)
{
    /* The connection closes what it is given. Without a copy the agent opens the file by its path.
     */
    int copy = ledger_fd >= 0 ? fcntl(ledger_fd, F_DUPFD_CLOEXEC, 0) : -1;
    long length =
        message_put_welcome(outbox_buffer, sizeof(outbox_buffer), MESSAGE_WELCOME, message);

    if (copy < 0 || length < 0)
        return send_encoded(connection, MESSAGE_WELCOME, length);
    return connection_send(connection, outbox_buffer, (size_t)length, &copy, 1);
}
