/* ClickHouse's RowBinary: values one after the other, without names or separators. Numbers are
 * little-endian, as in memory; strings and arrays begin with their length, in LEB128.
 *
 * Rows are written to a growing block of bytes, and read from a view of one. One thread. */
#ifndef PROFD_PROFCTL_ROW_BINARY_H
#define PROFD_PROFCTL_ROW_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* A zeroed struct is empty. */
struct row_writer {
    struct mapped_array bytes; /* char */
    int error;                 /* 0 or -ENOMEM: later calls do nothing */
};

void row_writer_free(struct row_writer *writer);
/* Forgets the rows, keeps the memory. */
void row_writer_clear(struct row_writer *writer);

/* What is written as it is: FixedString, or values that were made before. */
void row_write_bytes(struct row_writer *writer, const void *bytes, size_t length);
void row_write_length(struct row_writer *writer, uint64_t length); /* of an array */
void row_write_string(struct row_writer *writer, const char *bytes, size_t length);
void row_write_u32(struct row_writer *writer, uint32_t value); /* UInt32, DateTime */
void row_write_u64(struct row_writer *writer, uint64_t value); /* UInt64, Int64 */
void row_write_day(struct row_writer *writer, uint16_t days);  /* Date */

/* What is still to be read. */
struct row_reader {
    const char *next, *end;
};

/* Each moves on behind the value; 0, or -ENODATA when less than that is there, and nothing moves;
 * or -EPROTO for a length that is none. Views are into what is read. */
int row_read_length(struct row_reader *reader, uint64_t *length);
int row_read_string(struct row_reader *reader, const char **bytes, size_t *length);
int row_read_bytes(struct row_reader *reader, const char **bytes, size_t length);
int row_read_u64(struct row_reader *reader, uint64_t *value);

#endif
