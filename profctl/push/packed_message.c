#include "profctl/push/packed_message.h"

#include <errno.h>
#include <stdlib.h>

#include "profctl/json_sinks.h"

enum { LENGTH_DELIMITED = 2, FIELD_SHIFT = 3, HEAD_BYTES = 16 };

int packed_message_append(struct mapped_array *out, const ProtobufCMessage *message)
{
    size_t count = protobuf_c_message_get_packed_size(message);
    uint8_t *packed = malloc(count + 1);

    if (packed == NULL)
        return -ENOMEM;
    protobuf_c_message_pack(message, packed);
    int error = json_sink_memory(out, (const char *)packed, count);
    free(packed);
    return error;
}

int packed_message_append_field(struct mapped_array *out, unsigned field,
                                const struct mapped_array *bytes)
{
    char head[HEAD_BYTES] = { (char)(field << FIELD_SHIFT | LENGTH_DELIMITED) };
    size_t used = 1, length = bytes->count;

    for (; length >= 0x80; length >>= 7)
        head[used++] = (char)(length | 0x80);
    head[used++] = (char)length;
    int error = json_sink_memory(out, head, used);
    return error < 0 ? error : json_sink_memory(out, bytes->items, bytes->count);
}
