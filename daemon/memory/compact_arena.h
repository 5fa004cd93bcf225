/* Moves an arena whose writer has ended into a compact copy: only what was used, still a valid
 * arena.
 *
 * The copy has the layout of an arena, but less room: the dictionary ends where its records end,
 * slots that were never used are omitted, and what follows a chunk's last block stays a hole in the
 * file. So the same reader can read it. The header is untrusted: every number in it is checked
 * against the file's size. */
#ifndef PROFD_DAEMON_COMPACT_ARENA_H
#define PROFD_DAEMON_COMPACT_ARENA_H

#include <stdint.h>

#include "buffer/arena.h"
#include "daemon/memory/chunk_ages.h"

/* What is in both places at one time: a header, and what is copied in one step. */
enum {
    COMPACT_STEP_BYTES = 2 * 4096,
    COMPACT_EXTRA_BYTES = ARENA_HEADER_BYTES + COMPACT_STEP_BYTES,
};

struct compact_plan {
    struct arena_header header; /* as the copy will have it */
    uint64_t source_chunks_offset;
};

/* Plans the copy of the arena with HEADER, in a file of FILE_BYTES. The copy will have
 * PLAN->header.total_bytes. Returns 0, or -EPROTO if HEADER is not that of an arena. Pure. */
int compact_plan_make(const struct arena_header *header, uint64_t file_bytes,
                      struct compact_plan *plan);

/* Reads the header in ARENA_FD and plans the copy. Returns -EPROTO also if the file is not a sealed
 * memory file, since another could block its reader or be truncated while it is read, and if holes
 * cannot be punched in it. Otherwise errors of pread and fstat. */
int compact_plan_read(int arena_fd, struct compact_plan *plan);

/* What a move has made. */
struct compact_result {
    uint64_t memory_bytes;    /* that the copy takes, in whole pages, without the holes */
    struct chunk_ages chunks; /* those of the copy that are not empty, oldest first; owned */
};

/* Moves the arena into STORE_FD at OFFSET, a multiple of 4096 from which the file is empty for
 * total_bytes. What has been copied is punched out of the arena at once, so both together never
 * take more memory than the arena did plus COMPACT_EXTRA_BYTES. A chunk that was still in use
 * counts as done at END_NS. Returns 0, or a negative errno, with the arena destroyed and the copy
 * incomplete: -EFBIG if the copy would take more than BUDGET_BYTES (the arena lies), -ENOSPC … The
 * caller frees RESULT->chunks in any case. Any thread; takes time in proportion to the arena's
 * size. */
int compact_move(int arena_fd, const struct compact_plan *plan, int store_fd, uint64_t offset,
                 uint64_t end_ns, uint64_t budget_bytes, struct compact_result *result);

#endif
