/* Where a reader's bytes come from: a descriptor, or memory that may be written meanwhile.
 *
 * A descriptor is read, not mapped: its owner cannot make the reader fault by shortening it, and
 * reading holes does not fill them. Nothing is read outside of the source. */
#ifndef PROFD_BUFFER_ARENA_SOURCE_H
#define PROFD_BUFFER_ARENA_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct arena_source {
    const uint8_t *memory; /* borrowed, 8-aligned; or NULL */
    int fd;                /* owned; -1 with memory */
    uint64_t bytes;
};

/* FD is duplicated. Errors are those of fcntl and fstat. */
int arena_source_open(int fd, struct arena_source *out);
/* -EINVAL when MEMORY is not aligned to 8 bytes. */
int arena_source_open_memory(const void *memory, size_t bytes, struct arena_source *out);
void arena_source_close(struct arena_source *source);

/* Copies BYTES from OFFSET to OUT. Aligned words come over whole, each with acquire order: what was
 * published before a word that is copied is seen by what is copied after it. -EIO when the source
 * ends first, or the error of pread. */
int arena_source_read(const struct arena_source *source, uint64_t offset, void *out, size_t bytes);

#endif
