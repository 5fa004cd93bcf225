/* A JsonSlabs file (.jslb): JSON in which columns of numbers, and whole values, are replaced by
 * {"$s":N}, where N is the number of the slab after the table of slabs that holds them in binary or
 * as separate JSON.
 *
 * The table comes before the slabs and contains their places, so slabs are kept in temporary files
 * until all are known. Memory grows only with the entries of the table. A failure is latched, and
 * later calls do nothing. One thread. */
#ifndef PROFD_PROFCTL_SLABS_H
#define PROFD_PROFCTL_SLABS_H

#include <stdint.h>

#include "json/json_writer.h"

/* Slab types, with the numbers of the format. Numbers are little-endian. */
enum slab_type {
    SLAB_UINT8 = 1,
    SLAB_INT32 = 4,
    SLAB_UINT32 = 5,
    SLAB_FLOAT64 = 7,
    SLAB_JSON = 10,
};

struct slabs;

/* Creates slabs for a file that is written with WRITE, called with CONTEXT. Returns 0 with *OUT, to
 * be freed with slabs_destroy(), or a negative errno. LATCH is borrowed. */
int slabs_create(struct failure_latch *latch, json_sink_write write, void *context,
                 struct slabs **out);
void slabs_destroy(struct slabs *slabs); /* NULL is allowed */

/* Begin, fill, and end a slab of numbers. The first returns its number for slab_reference(). VALUE
 * must fit TYPE. */
uint32_t slabs_start_numbers(struct slabs *slabs, enum slab_type type);
void slabs_put_number(struct slabs *slabs, double value);
void slabs_end_numbers(struct slabs *slabs);

/* Begin and end a slab with one JSON value; slabs of numbers may be written meanwhile. The writer
 * is valid until the end. */
struct json_writer *slabs_start_json(struct slabs *slabs, uint32_t *slab);
void slabs_end_json(struct slabs *slabs);

/* Writes the reference to SLAB. */
void slab_reference(struct json_writer *writer, uint32_t slab);

/* Writes the file. ROOT, a memory writer, holds the outermost value, which is stored right after
 * the table. Returns 0, -EFBIG beyond the 4 GiB that the format can address, or the first
 * failure. */
int slabs_write(struct slabs *slabs, const struct json_writer *root);

#endif
