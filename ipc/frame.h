/* Frames: a 32-bit little-endian length, then that many bytes of payload.
 *
 * A length of 0 or above FRAME_MAX_BYTES ends the connection: no memory is ever allocated just
 * because a peer says so. Pure: no sockets here. */
#ifndef PROFD_IPC_FRAME_H
#define PROFD_IPC_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEADER_BYTES = 4, FRAME_MAX_BYTES = 512 * 1024 };

/* Collects bytes and hands out whole payloads. Its buffer grows with the bytes that arrive, up to
 * twice the largest frame, and shrinks when it is empty. It is mapped memory, not from malloc. One
 * thread at a time. */
struct frame_reader {
    uint8_t *bytes; /* owned */
    size_t start, used, capacity;
};

void frame_reader_init(struct frame_reader *reader);
void frame_reader_destroy(struct frame_reader *reader);
/* Gets room to read into: *OUT with *ROOM bytes, never 0. Returns 0; -ENOMEM; or -ENOBUFS if too
 * many whole frames were left in the buffer: take them all with frame_reader_next() first. */
int frame_reader_room(struct frame_reader *reader, uint8_t **out, size_t *room);
/* COUNT bytes have been read into that room. */
void frame_reader_filled(struct frame_reader *reader, size_t count);
/* Bytes that have been read and not yet handed out. */
size_t frame_reader_pending(const struct frame_reader *reader);
/* Returns 1 with a view of the next payload, valid until the next call of frame_reader_room(); 0 if
 * more bytes are needed; -EPROTO if the length is out of bounds. */
int frame_reader_next(struct frame_reader *reader, const uint8_t **payload, size_t *bytes);

#endif
