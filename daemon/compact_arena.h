/* A compact copy of an arena whose writer is gone: only what was used, still a valid arena.
 *
 * The layout is the arena's own with less room: the dictionary ends where its records end, slots
 * that were never used are left out, and what follows a chunk's last block stays a hole in the
 * file. So the same reader reads it. The header is untrusted: every number is checked against the
 * file's size. */
#ifndef PROFD_DAEMON_COMPACT_ARENA_H
#define PROFD_DAEMON_COMPACT_ARENA_H

#include <stdint.h>

#include "buffer/arena.h"

struct compact_plan {
    struct arena_header header; /* as the copy will have it */
    uint64_t source_chunks_offset;
};

/* From HEADER of an arena in a file of FILE_BYTES. The copy has PLAN->header.total_bytes. 0, or
 * -EPROTO when the header is not one of an arena. Pure. */
int compact_plan_make(const struct arena_header *header, uint64_t file_bytes,
                      struct compact_plan *plan);

/* Reads the header behind ARENA_FD and plans. -EPROTO also for what is no sealed file of memory:
 * another kind of file may make its reader wait, or be cut while it is read. Errors of pread and
 * fstat too. */
int compact_plan_read(int arena_fd, struct compact_plan *plan);

/* Copies into STORE_FD from OFFSET on, which is a multiple of 4096 and beyond which the file is
 * empty for total_bytes. *MEMORY_BYTES is what the copy takes, in whole pages and without holes. 0
 * or a negative errno
 * (-ENOSPC …). Any thread; takes time with the arena's size. */
int compact_copy(int arena_fd, const struct compact_plan *plan, int store_fd, uint64_t offset,
                 uint64_t *memory_bytes);

#endif
