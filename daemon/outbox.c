#include "daemon/outbox.h"

#include "daemon/log.h"

static uint8_t outbox_buffer[MESSAGE_MAX_BYTES];

static int send_encoded(struct connection *connection, enum message_kind kind, long length)
{
    if (length < 0) {
        log_error("can't encode %s (%ld)", message_kind_name(kind), length);
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
