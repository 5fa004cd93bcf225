/* The arena of a process without an agent thread: profd makes its chunk updates, and destroys its
 * chunks itself.
 *
 * The process keeps running: a chunk changes hands by compare-and-swap on its state, so it is
 * either recycled there or destroyed here. The arena is untrusted; a number that lies harms nobody
 * but its own process. Blocks for a moment: system calls on memory. Any one thread of profd. */
#ifndef PROFD_DAEMON_LONE_ARENA_H
#define PROFD_DAEMON_LONE_ARENA_H

#include <stdint.h>

#include "buffer/chunk_update.h"
#include "buffer/lease_ledger.h"

/* What the chunk manager of the arena behind FD would tell now, of as many released chunks as an
 * update holds, the oldest. 0, -EPROTO when it is no arena, -ENOMEM, or the error of pread. */
int lone_arena_update(int fd, struct chunk_update *out);

/* Destroys the released chunks that were done at or before DONE_NS, counts them as recycled, and
 * gives their units of LEDGER, which are OWNER's, back. Returns the bytes destroyed, or a negative
 * errno. */
int64_t lone_arena_destroy(int fd, struct lease_ledger *ledger, lease_owner owner,
                           uint64_t done_ns);

/* The session is over: gives the memory of all chunks to the kernel, and their units back. A
 * process that still writes finds out at its next tick. 0 or a negative errno. */
int lone_arena_clear(int fd, struct lease_ledger *ledger, lease_owner owner);

#endif
