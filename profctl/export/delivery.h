/* Batches from the spool to the server: one after the other, again after a while when it did not
 * work, and never one twice where the server can be asked what it has. One thread. */
#ifndef PROFD_PROFCTL_DELIVERY_H
#define PROFD_PROFCTL_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/export/export_target.h"
#include "profctl/export/spool.h"

/* A zeroed struct, with the first three set, has tried nothing yet. */
struct delivery {
    const struct export_target *target; /* borrowed */
    struct spool *spool;                /* borrowed */
    bool
        is_unsure; /* nobody knows what became of the first batch, as at the start of an exporter */
    bool is_prepared;     /* the target */
    unsigned failures;    /* one after the other, of whatever kind */
    unsigned faults;      /* errors of the server's own at the batch at hand */
    uint64_t tried_batch; /* the id of that one */
    uint64_t next_ns;     /* CLOCK_MONOTONIC: not to be tried before */
    uint64_t delivered_rows, delivered_batches;
    struct export_batch batch; /* the one at hand */
};

/* What one step did. */
enum delivery_step {
    DELIVERY_DONE,    /* a batch arrived */
    DELIVERY_NOTHING, /* there is none, or it is not time yet */
    DELIVERY_FAILED,  /* in TEXT */
    DELIVERY_UNREAD,  /* the spool cannot be read now: why, in TEXT */
    DELIVERY_LOST,    /* the server will not take a batch: it is gone; in TEXT */
    DELIVERY_ENDED,   /* nothing will ever work; in TEXT */
};

/* Tries to deliver one batch, when it is time. TEXT gets one line where the step says so. */
enum delivery_step delivery_step(struct delivery *delivery, uint64_t now_ns,
                                 char text[HTTP_TEXT_BYTES]);

/* Makes the target ready now, before there is a batch, so that what never will be is known at once.
 * What prepare() of export_target.h says, with TEXT. */
enum http_outcome delivery_prepare(struct delivery *delivery, char text[HTTP_TEXT_BYTES]);

/* Frees the memory of the batch at hand. */
void delivery_free(struct delivery *delivery);

/* --- Pure parts --- */

/* How long to wait after so many failures: doubled each time up to a minute, of which CHANCE, a
 * random number, decides the half, so that a thousand hosts do not come back all at once. */
uint64_t delivery_wait_ms(unsigned failures, uint32_t chance);

#endif
