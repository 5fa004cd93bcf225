/* The source of a reader's bytes: a descriptor, or memory that may be written to at the same time.
 *
 * A descriptor is read, not mapped, so its owner cannot make the reader fault by shortening the
 * file, and reading a hole does not fill it. Nothing outside of the source is ever read. */
#ifndef PROFD_BUFFER_ARENA_SOURCE_H
#define PROFD_BUFFER_ARENA_SOURCE_H

#include <stddef.h>
#include <stdint.h>

struct arena_source {
    const uint8_t *memory; /* borrowed, aligned to 8 bytes; NULL with a descriptor */
    int fd;                /* owned; -1 with memory */
    uint64_t bytes;
};

/* Opens FD, which is duplicated. Returns 0 or an error of fcntl or fstat. */
int arena_source_open(int fd, struct arena_source *out);
/* Opens BYTES of MEMORY (borrowed). Returns 0, or -EINVAL if MEMORY is not aligned to 8 bytes. */
int arena_source_open_memory(const void *memory, size_t bytes, struct arena_source *out);
void arena_source_close(struct arena_source *source);

/* Copies BYTES from OFFSET to OUT. Aligned words are copied whole and with acquire order: whatever
 * was published before a copied word was stored is seen by everything that is copied after it.
 * Returns 0, -EIO if the source ends first, or the error of pread. */
int arena_source_read(const struct arena_source *source, uint64_t offset, void *out, size_t bytes);

#endif
