/* Copies an arena into a raw capture: what was used of it, whoever writes to it meanwhile.
 *
 * Each chunk is read, looked at again, and left out when it was recycled in between. What is read
 * is not believed: whoever makes a profile of it checks all (buffer/arena_reader.h). Any thread;
 * takes time with the arena's size. */
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
