#include "ipc/msgpack_cursor.h"

#include <errno.h>

/* What a first byte says: the item's type, and either its number or how many bytes hold it. */
struct lead {
    enum msgpack_item_type type;
    unsigned width;
    uint64_t number;
};

static int lead_of_wide(uint8_t first, struct lead *out)
{
    switch (first) {
    case 0xcc ... 0xcf:
        *out = (struct lead){ MSGPACK_ITEM_POSITIVE, 1u << (first - 0xcc), 0 };
        return 0;
    case 0xd0 ... 0xd3: /* signed on the wire; settled once its value is known */
        *out = (struct lead){ MSGPACK_ITEM_NEGATIVE, 1u << (first - 0xd0), 0 };
        return 0;
    case 0xd9 ... 0xdb:
        *out = (struct lead){ MSGPACK_ITEM_STRING, 1u << (first - 0xd9), 0 };
        return 0;
    case 0xdc ... 0xdd:
        *out = (struct lead){ MSGPACK_ITEM_ARRAY, 2u << (first - 0xdc), 0 };
        return 0;
    default:
        return -EPROTO;
    }
}

static int lead_of(uint8_t first, struct lead *out)
{
    switch (first) {
    case 0x00 ... 0x7f:
        *out = (struct lead){ MSGPACK_ITEM_POSITIVE, 0, first };
        return 0;
    case 0x90 ... 0x9f:
        *out = (struct lead){ MSGPACK_ITEM_ARRAY, 0, first & 0x0f };
        return 0;
    case 0xa0 ... 0xbf:
        *out = (struct lead){ MSGPACK_ITEM_STRING, 0, first & 0x1f };
        return 0;
    case 0xe0 ... 0xff:
        *out = (struct lead){ MSGPACK_ITEM_NEGATIVE, 0, (uint64_t)(int8_t)first };
        return 0;
    default:
        return lead_of_wide(first, out);
    }
}

static uint64_t big_endian(const uint8_t *bytes, unsigned width)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < width; i++)
        number = number << 8 | bytes[i];
    return number;
}

static uint64_t sign_extended(uint64_t number, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return (number ^ sign) - sign;
}

int msgpack_cursor_take(struct msgpack_cursor *cursor, struct msgpack_item *out)
{
    struct lead lead;
    const uint8_t *next = cursor->next;
    if (next == cursor->end || lead_of(*next++, &lead) < 0)
        return -EPROTO;
    if ((size_t)(cursor->end - next) < lead.width)
        return -EPROTO;
    if (lead.width > 0)
        lead.number = big_endian(next, lead.width);
    next += lead.width;

    *out = (struct msgpack_item){ .type = lead.type, .number = lead.number };
    if (lead.type == MSGPACK_ITEM_NEGATIVE && lead.width > 0) {
        out->number = sign_extended(lead.number, lead.width);
        if ((int64_t)out->number >= 0)
            out->type = MSGPACK_ITEM_POSITIVE;
    }
    if (lead.type == MSGPACK_ITEM_STRING) {
        if ((size_t)(cursor->end - next) < lead.number)
            return -EPROTO;
        out->bytes = (const char *)next;
        next += lead.number;
    }
    cursor->next = next;
    return 0;
}
