/* A walk over msgpack bytes, one item after another, that allocates nothing and recurses nowhere.
 *
 * Knows the items that our messages consist of: integers, strings and arrays. Everything else (nil,
 * booleans, floats, binaries, maps, extensions) is -EPROTO. An array's item only tells its count;
 * its members are the items that follow. Safe on any bytes. */
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
    MSGPACK_ITEM_ARRAY,    /* number: the count of its members; nobody promises that they follow */
};

struct msgpack_item {
    enum msgpack_item_type type;
    uint64_t number;
    const char *bytes;
};

/* The next item, and the cursor behind it; -EPROTO at the end, too. */
int msgpack_cursor_take(struct msgpack_cursor *cursor, struct msgpack_item *out);

#endif
