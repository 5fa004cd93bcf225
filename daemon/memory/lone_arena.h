/* The arena of a process without an agent thread: profd itself makes its chunk updates and destroys
 * its chunks.
 *
 * The process keeps running: a chunk changes hands by compare-and-swap on its state, so it is
 * either recycled by the process or destroyed here. The arena is untrusted; a false number harms
 * only the process itself. Blocks briefly, in system calls on memory. One thread of profd at a
 * time. */
#ifndef PROFD_DAEMON_LONE_ARENA_H
#define PROFD_DAEMON_LONE_ARENA_H

#include <stdint.h>

#include "buffer/chunk_update.h"
#include "buffer/lease_ledger.h"

/* Makes the update that the chunk manager of the arena FD would send now, with the oldest released
 * chunks, as many as an update holds. Returns 0, -EPROTO if it is not an arena, -ENOMEM, or the
 * negative errno of pread. */
int lone_arena_update(int fd, struct chunk_update *out);

/* Destroys the released chunks that were done at or before DONE_NS, counts them as recycled, and
 * gives OWNER's units for them back to LEDGER. Returns the number of bytes destroyed, or a negative
 * errno. */
int64_t lone_arena_destroy(int fd, struct lease_ledger *ledger, lease_owner owner,
                           uint64_t done_ns);

/* The session is over: frees the memory of all chunks and gives their units back. A process that is
 * still writing finds out at its next tick. Returns 0 or a negative errno. */
int lone_arena_clear(int fd, struct lease_ledger *ledger, lease_owner owner);

#endif
