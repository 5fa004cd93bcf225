/* What is sent to a server in one request, and its format in a file of the spool. Pure. */
#ifndef PROFD_PROFCTL_EXPORT_BATCH_H
#define PROFD_PROFCTL_EXPORT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/mapped_array.h"

/* What servers take. The numbers are stored in spools. */
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
    uint64_t id; /* a random number, which the samples have as well */
    uint64_t rows;
    uint32_t first_minute_s, last_minute_s; /* of the rows */
    struct mapped_array bytes;              /* char: gzipped */
};

void export_batch_free(struct export_batch *batch);

/* Sets the bytes of BATCH to BODY, gzipped. Returns 0 or -ENOMEM. */
int export_batch_pack(struct export_batch *batch, const void *body, size_t length);

/* Encodes BATCH as the contents of a file, with a checksum over all of it, and puts them in FILE
 * (char; replaced). Returns 0 or -ENOMEM. */
int export_batch_put(const struct export_batch *batch, struct mapped_array *file);

/* Decodes a batch. Returns 0; -EBADMSG if the file is cut short, damaged, or not a batch; or
 * -ENOMEM. */
int export_batch_get(const struct mapped_array *file, struct export_batch *batch);

#endif
