/* Reads or writes a complete range of a file, or gives its memory back to the kernel.
 *
 * These are plain system calls on files in memory or on disk. Any thread may use them. */
#ifndef PROFD_BUFFER_FILE_RANGE_H
#define PROFD_BUFFER_FILE_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* Reads COUNT bytes at OFFSET. Returns 0, -EIO if the file ends first, or -errno. */
int file_range_read(int fd, void *bytes, size_t count, uint64_t offset);

/* Writes COUNT bytes at OFFSET. Returns 0, or -errno; some of the bytes may then have been
 * written. */
int file_range_write(int fd, const void *bytes, size_t count, uint64_t offset);

/* Punches a hole of COUNT bytes at OFFSET. Returns 0 or -errno. */
int file_range_punch(int fd, uint64_t offset, uint64_t count);

#endif
