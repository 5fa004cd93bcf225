/* Copies the used part of an arena into a raw capture, while its process may write to it.
 *
 * Each chunk is read, looked at again, and left out when it was recycled in between. What is read
 * is not trusted: the reader that makes a profile of it checks everything (buffer/arena_reader.h).
 * Any thread; takes time with the arena's size. */
#ifndef PROFD_DAEMON_RAW_ARENA_H
#define PROFD_DAEMON_RAW_ARENA_H

#include <stdint.h>

#include "json/raw_records.h"

struct raw_arena {
    int fd;
    uint64_t offset, bytes; /* of the arena in FD; bytes 0: the whole file */
};

/* Writes CHUNK records and the FRONT. 0; or a negative errno: of reading, with *IS_OUTPUT false, or
 * of writing. -EPROTO for what is no arena. */
int raw_arena_copy(const struct raw_arena *arena, struct raw_out *out, bool *is_output);

#endif
