/* Ranges of a file, as a whole: read or written at a place, or given back to the kernel.
 *
 * Plain system calls on memory or on disks; any thread. */
#ifndef PROFD_BUFFER_FILE_RANGE_H
#define PROFD_BUFFER_FILE_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* Reads all of COUNT bytes at OFFSET. 0, -EIO when the file ends before, or -errno. */
int file_range_read(int fd, void *bytes, size_t count, uint64_t offset);

/* Writes all of COUNT bytes at OFFSET. 0 or -errno, with some of them written. */
int file_range_write(int fd, const void *bytes, size_t count, uint64_t offset);

/* Makes a hole of COUNT bytes at OFFSET. 0 or -errno. */
int file_range_punch(int fd, uint64_t offset, uint64_t count);

#endif
