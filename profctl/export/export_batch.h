/* What goes to a server in one request, and how it stands in a file of the spool. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_BATCH_H
#define PROFD_PROFCTL_EXPORT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* What servers take. The numbers stand in spools. */
enum export_kind {
    EXPORT_STACKS = 0, /* rows for ClickHouse: one table each */
    EXPORT_SAMPLES = 1,
    EXPORT_HEALTH = 2,
    EXPORT_PYROSCOPE = 16, /* bodies of requests */
    EXPORT_PARCA = 17,
    EXPORT_OTLP = 18,
};

struct export_batch {
    enum export_kind kind;
    uint64_t id; /* a random number; the samples themselves have it, too */
    uint64_t rows;
    uint32_t first_minute_s, last_minute_s; /* of the rows */
    struct mapped_array bytes;              /* char: gzipped */
};

void export_batch_free(struct export_batch *batch);

/* Sets the batch's bytes to BODY, gzipped. 0 or -ENOMEM. */
int export_batch_pack(struct export_batch *batch, const void *body, size_t length);

/* The batch as bytes of a file, with a checksum over all of it, in FILE (char; replaced). 0 or
 * -ENOMEM. */
int export_batch_put(const struct export_batch *batch, struct mapped_array *file);

/* The batch that was put. 0; -EBADMSG for a file that is cut short, or damaged, or of something
 * else; or -ENOMEM. */
int export_batch_get(const struct mapped_array *file, struct export_batch *batch);

#endif
