/* Copies the used part of an arena into a raw capture, while its process may be writing to it.
 *
 * Each chunk is read and checked again, and left out if it was recycled in between. What is read is
 * not trusted: the reader that makes a profile of it checks everything (buffer/arena_reader.h). Any
 * thread; takes time in proportion to the arena's size. */
#ifndef PROFD_DAEMON_RAW_ARENA_H
#define PROFD_DAEMON_RAW_ARENA_H

#include <stdint.h>

#include "json/raw_records.h"

struct raw_arena {
    int fd;
    uint64_t offset, bytes; /* of the arena in FD; bytes 0: the whole file */
};

/* Writes the CHUNK records and the FRONT. Returns 0, or a negative errno, which is of writing if
 * *IS_OUTPUT, else of reading: -EPROTO if it is not an arena. */
int raw_arena_copy(const struct raw_arena *arena, struct raw_out *out, bool *is_output);

#endif
