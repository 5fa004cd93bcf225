/* Packs batches and adds them to the spool. One thread. */
#ifndef PROFD_PROFCTL_BATCH_ADD_H
#define PROFD_PROFCTL_BATCH_ADD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profctl/export/spool.h"

struct batch_body {
    const void *bytes; /* borrowed */
    size_t count;
    int error;        /* error while making the body; 0: none */
    const char *what; /* for messages, such as "samples" */
    bool is_packed;   /* already packed */
};

uint64_t batch_random_id(void);

/* Puts BODY, gzipped, into BATCH, whose other members are set, adds it to SPOOL, and frees its
 * bytes. What cannot be kept is reported, and counted by the spool. Returns 0 or a negative
 * errno. */
int batch_add(struct export_batch *batch, const struct batch_body *body, struct spool *spool);

#endif
