/* An arena that is put together again from the records of a raw capture: a file of memory with
 * holes, which buffer/arena_reader.h reads. Its layout is ours: nothing that the file says of
 * offsets is used. One thread. */
#ifndef PROFD_PROFCTL_RAW_ARENA_FILE_H
#define PROFD_PROFCTL_RAW_ARENA_FILE_H

#include <stdint.h>

#include "buffer/arena_reader.h"
#include "profctl/raw/raw_reader.h"

struct raw_arena_file {
    int fd;              /* -1: none */
    uint32_t slot_count; /* of chunks */
};

/* Opens an empty file. Returns 0 or the error of memfd_create. */
int raw_arena_file_open(struct raw_arena_file *file);
/* Closes the file. An fd of -1 is allowed. */
void raw_arena_file_close(struct raw_arena_file *file);

/* Adds a RAW_CHUNK, or the RAW_FRONT, which comes last. Returns 0; -EPROTO for a chunk that no
 * arena has room for; or the error of writing. */
int raw_arena_file_add(struct raw_arena_file *file, const struct raw_view *record);

/* What the RAW_FRONT alone tells, as an arena without chunks; MEMORY is to be freed behind the
 * reader. Returns 0, -ENOMEM, or the error of arena_reader_open_memory(). */
int raw_arena_front_open(const struct raw_view *record, void **memory, struct arena_reader **out);

#endif
