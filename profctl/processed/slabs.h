/* A JsonSlabs file (.jslb): JSON in which columns of numbers, and whole values, are replaced by
 * {"$s":N}, with N the slab behind the table of slabs where they stand in binary or as JSON of
 * their own.
 *
 * The table comes before the slabs, and tells their places; so slabs wait in temporary files until
 * all are known. Memory grows by the entries of the table alone. A failure is latched, and nothing
 * is done from then on. One thread. */
#ifndef PROFD_PROFCTL_SLABS_H
#define PROFD_PROFCTL_SLABS_H

#include <stdint.h>

#include "json/json_writer.h"

/* The format's numbers for what a slab holds; numbers are little-endian. */
enum slab_type {
    SLAB_UINT8 = 1,
    SLAB_INT32 = 4,
    SLAB_UINT32 = 5,
    SLAB_FLOAT64 = 7,
    SLAB_JSON = 10,
};

struct slabs;

/* The file goes to WRITE, called with CONTEXT. 0 with *OUT for slabs_destroy(), or a negative
 * errno. LATCH is borrowed. */
int slabs_create(struct failure_latch *latch, json_sink_write write, void *context,
                 struct slabs **out);
void slabs_destroy(struct slabs *slabs); /* NULL is allowed */

/* A slab of numbers: begun, filled, and ended. The first returns what it is called in
 * slab_reference(). VALUE is one that TYPE can hold. */
uint32_t slabs_start_numbers(struct slabs *slabs, enum slab_type type);
void slabs_put_number(struct slabs *slabs, double value);
void slabs_end_numbers(struct slabs *slabs);

/* A slab of JSON, one value; slabs of numbers may be written meanwhile. The writer is valid until
 * the end. */
struct json_writer *slabs_start_json(struct slabs *slabs, uint32_t *slab);
void slabs_end_json(struct slabs *slabs);

/* Writes the value that stands for SLAB. */
void slab_reference(struct json_writer *writer, uint32_t slab);

/* Writes the file; ROOT, a memory writer, is the outermost value, and stands right behind the
 * table. 0, -EFBIG beyond the 4 GiB that the format can address, or the first failure. */
int slabs_write(struct slabs *slabs, const struct json_writer *root);

#endif
