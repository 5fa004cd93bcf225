/* Delivers batches from the spool to the server: one after the other, again after a while if that
 * failed, and never one twice if the server can be asked what it has. One thread. */
#ifndef PROFD_PROFCTL_DELIVERY_H
#define PROFD_PROFCTL_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/export/export_target.h"
#include "profctl/export/spool.h"

/* A zeroed struct, with the first two members set, has tried nothing yet. */
struct delivery {
    const struct export_target *target; /* borrowed */
    struct spool *spool;                /* borrowed */
    bool is_unsure;       /* whether the first batch arrived is not known since the last attempt */
    bool is_prepared;     /* the target is */
    unsigned failures;    /* consecutive, of any kind */
    unsigned faults;      /* internal errors of the server with the current batch */
    uint64_t tried_batch; /* the id of that batch */
    uint64_t next_ns;     /* CLOCK_MONOTONIC: the earliest time of the next attempt */
    uint64_t delivered_rows, delivered_batches;
    struct export_batch batch; /* the current one */
};

/* The result of one step. */
enum delivery_step {
    DELIVERY_DONE,    /* a batch arrived */
    DELIVERY_NOTHING, /* there is no batch, or it is not time yet */
    DELIVERY_FAILED,  /* it failed; TEXT says why */
    DELIVERY_UNREAD,  /* the spool cannot be read now; TEXT says why */
    DELIVERY_LOST,    /* the server refused a batch, which was dropped; TEXT says why */
    DELIVERY_ENDED,   /* the server refuses everything; TEXT says why */
};

/* Tries to deliver one batch, if it is time. TEXT receives one line if the result says so. */
enum delivery_step delivery_step(struct delivery *delivery, uint64_t now_ns,
                                 char text[HTTP_TEXT_BYTES]);

/* Prepares the target before there is a batch, so that permanent errors show at once. Returns the
 * result of prepare() of export_target.h, with TEXT. */
enum http_outcome delivery_prepare(struct delivery *delivery, char text[HTTP_TEXT_BYTES]);

/* Frees the memory of the current batch. */
void delivery_free(struct delivery *delivery);

/* --- Pure parts --- */

/* Returns how long to wait after FAILURES failures: doubled each time up to a minute. CHANCE, a
 * random number, decides half of it, so that a thousand hosts do not come back at once. */
uint64_t delivery_wait_ms(unsigned failures, uint32_t chance);

#endif
