/* Rows of one table on their way to the server: what one INSERT takes, and how it stands in a file
 * of the spool. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_BATCH_H
#define PROFD_PROFCTL_EXPORT_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "profctl/clickhouse/clickhouse_schema.h"
#include "json/mapped_array.h"

struct export_batch {
    enum clickhouse_table table;
    uint64_t id; /* a random number; the samples themselves have it, too */
    uint64_t rows;
    uint32_t first_minute_s, last_minute_s; /* of the rows */
    struct mapped_array bytes;              /* char: the rows, gzipped */
};

void export_batch_free(struct export_batch *batch);

/* Sets the batch's bytes to ROWS of RowBinary, gzipped. 0 or -ENOMEM. */
int export_batch_pack(struct export_batch *batch, const void *rows, size_t length);

/* The batch as bytes of a file, with a checksum over all of it, in FILE (char; replaced). 0 or
 * -ENOMEM. */
int export_batch_put(const struct export_batch *batch, struct mapped_array *file);

/* The batch that was put. 0; -EBADMSG for a file that is cut short, or damaged, or of something
 * else; or -ENOMEM. */
int export_batch_get(const struct mapped_array *file, struct export_batch *batch);

#endif
