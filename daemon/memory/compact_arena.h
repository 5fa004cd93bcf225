/* Moves an arena whose writer is gone into a compact one: only what was used, still a valid arena.
 *
 * The layout is the arena's own with less room: the dictionary ends where its records end, slots
 * that were never used are left out, and what follows a chunk's last block stays a hole in the
 * file. So the same reader reads it. The header is untrusted: every number is checked against the
 * file's size. */
#ifndef PROFD_DAEMON_COMPACT_ARENA_H
#define PROFD_DAEMON_COMPACT_ARENA_H

#include <stdint.h>

#include "buffer/arena.h"
#include "daemon/memory/chunk_ages.h"

/* What is in both places for a moment: a header, and what is copied in one go. */
enum {
    COMPACT_STEP_BYTES = 2 * 4096,
    COMPACT_EXTRA_BYTES = ARENA_HEADER_BYTES + COMPACT_STEP_BYTES,
};

struct compact_plan {
    struct arena_header header; /* as the copy will have it */
    uint64_t source_chunks_offset;
};

/* From HEADER of an arena in a file of FILE_BYTES. The copy has PLAN->header.total_bytes. 0, or
 * -EPROTO when the header is not one of an arena. Pure. */
int compact_plan_make(const struct arena_header *header, uint64_t file_bytes,
                      struct compact_plan *plan);

/* Reads the header behind ARENA_FD and plans. -EPROTO also for what is no sealed file of memory,
 * which may make its reader wait or be cut while it is read, and for one that cannot be punched.
 * Errors of pread and fstat too. */
int compact_plan_read(int arena_fd, struct compact_plan *plan);

/* What a move has made. */
struct compact_result {
    uint64_t memory_bytes;    /* that the copy takes, in whole pages and without holes */
    struct chunk_ages chunks; /* of it that hold something, oldest first; owned */
};

/* Moves the arena into STORE_FD from OFFSET on, which is a multiple of 4096 and beyond which the
 * file is empty for total_bytes. What was copied is punched out of the arena at once, so both
 * together never hold more than the arena did and COMPACT_EXTRA_BYTES. A chunk that was still in
 * use counts as done at END_NS. 0 or a negative errno, with the arena spoilt and part of the copy
 * made: -EFBIG when the copy would take more than BUDGET_BYTES (an arena that lies), -ENOSPC …
 * RESULT->chunks is to be freed in any case. Any thread; takes time with the arena's size. */
int compact_move(int arena_fd, const struct compact_plan *plan, int store_fd, uint64_t offset,
                 uint64_t end_ns, uint64_t budget_bytes, struct compact_result *result);

#endif
