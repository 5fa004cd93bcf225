/* Walks over msgpack bytes, one item at a time, without allocation or recursion.
 *
 * It knows the items of which our messages consist: integers, strings and arrays. Everything else
 * (nil, booleans, floats, binaries, maps, extensions) is -EPROTO. The item of an array has only its
 * count; its members are the items that follow. Safe on any bytes. */
#ifndef PROFD_IPC_MSGPACK_CURSOR_H
#define PROFD_IPC_MSGPACK_CURSOR_H

#include <stddef.h>
#include <stdint.h>

struct msgpack_cursor {
    const uint8_t *next, *end;
};

enum msgpack_item_type {
    MSGPACK_ITEM_POSITIVE, /* number: 0 or more */
    MSGPACK_ITEM_NEGATIVE, /* number: the two's complement of the value */
    MSGPACK_ITEM_STRING,   /* number: its length; bytes: a view of it */
    MSGPACK_ITEM_ARRAY,    /* number: its count of members, which may not all follow */
};

struct msgpack_item {
    enum msgpack_item_type type;
    uint64_t number;
    const char *bytes;
};

/* Reads the next item and moves the cursor past it. Returns 0, or -EPROTO, also at the end. */
int msgpack_cursor_take(struct msgpack_cursor *cursor, struct msgpack_item *out);

#endif
