/* ClickHouse's RowBinary format: values one after the other, without names or separators. Numbers
 * are little-endian, as in memory; strings and arrays begin with their length in LEB128.
 *
 * Rows are written to a growing buffer, and read from a view of one. One thread. */
#ifndef PROFD_PROFCTL_ROW_BINARY_H
#define PROFD_PROFCTL_ROW_BINARY_H

#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* A zeroed struct is empty. */
struct row_writer {
    struct mapped_array bytes; /* char */
    int error;                 /* 0, or -ENOMEM, after which calls do nothing */
};

void row_writer_free(struct row_writer *writer);
/* Drops the rows but keeps the memory. */
void row_writer_clear(struct row_writer *writer);

/* Writes bytes unchanged: a FixedString, or values already encoded. */
void row_write_bytes(struct row_writer *writer, const void *bytes, size_t length);
void row_write_length(struct row_writer *writer, uint64_t length); /* of an array */
void row_write_string(struct row_writer *writer, const char *bytes, size_t length);
void row_write_u32(struct row_writer *writer, uint32_t value); /* UInt32, DateTime */
void row_write_u64(struct row_writer *writer, uint64_t value); /* UInt64, Int64 */
void row_write_day(struct row_writer *writer, uint16_t days);  /* Date */

/* The data that has not been read yet. */
struct row_reader {
    const char *next, *end;
};

/* Each reads a value and advances past it. Returns 0; -ENODATA, without advancing, if the data ends
 * first; or -EPROTO for an invalid length. The results are views of the data. */
int row_read_length(struct row_reader *reader, uint64_t *length);
int row_read_string(struct row_reader *reader, const char **bytes, size_t *length);
int row_read_bytes(struct row_reader *reader, const char **bytes, size_t length);
int row_read_u64(struct row_reader *reader, uint64_t *value);

#endif
