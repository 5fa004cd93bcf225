/* Frames: a 32-bit little-endian length, then that many bytes of payload.
 *
 * A length of 0 or above FRAME_MAX_BYTES ends the connection: nothing is ever allocated on a peer's
 * word. Pure: no sockets here. */
#ifndef PROFD_IPC_FRAME_H
#define PROFD_IPC_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEADER_BYTES = 4, FRAME_MAX_BYTES = 512 * 1024 };

/* Collects bytes and hands out whole payloads. Its buffer grows with the bytes that arrived, up to
 * twice the maximal frame, shrinks when it is empty, and is mapped memory, not malloc's. One thread
 * at a time. */
struct frame_reader {
    uint8_t *bytes; /* owned */
    size_t start, used, capacity;
};

void frame_reader_init(struct frame_reader *reader);
void frame_reader_destroy(struct frame_reader *reader);
/* Room to read into: *OUT and its size, never 0. -ENOMEM; -ENOBUFS when whole frames were left in
 * it for too long: take them all with _next before asking for room again. */
int frame_reader_room(struct frame_reader *reader, uint8_t **out, size_t *room);
/* COUNT bytes were read into that room. */
void frame_reader_filled(struct frame_reader *reader, size_t count);
/* Bytes that were filled in and not yet handed out. */
size_t frame_reader_pending(const struct frame_reader *reader);
/* 1 with a view of the next payload, valid until the next call of _room; 0 when more bytes are
 * needed; -EPROTO when the length is out of bounds. */
int frame_reader_next(struct frame_reader *reader, const uint8_t **payload, size_t *bytes);

#endif
