/* The target of an export: how rows of a minute become batches in the spool, and how a batch is
 * sent to the server. The code for each kind of server fills in the table; exporter.h and
 * delivery.h do not know any server. */
#ifndef PROFD_PROFCTL_EXPORT_TARGET_H
#define PROFD_PROFCTL_EXPORT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/export/export_health.h"
#include "profctl/export/export_rows.h"
#include "profctl/export/spool.h"
#include "profctl/http/http_client.h"

/* A minute, or the available part of it. Everything is borrowed. */
struct export_minute {
    const struct export_rows *rows;
    const struct export_health *health; /* without what is counted while the minute is spooled */
    const char *host;
    uint32_t first_s, last_s; /* when the first and last minute of the rows begin, since 1970 */
    uint64_t from_ns, duration_ns; /* of the recording, since 1970 */
    uint64_t every_ns;             /* length of a "minute" */
};

/* What was spooled. */
struct export_counts {
    uint64_t rows, new_stacks;
};

struct export_target {
    /* Makes batches of MINUTE and adds them to SPOOL, which counts what it cannot keep. */
    struct export_counts (*spool)(void *owner, const struct export_minute *minute,
                                  struct spool *spool);
    /* Adds what the exporter reports about itself, once that is known. NULL: the server does not
     * take it. */
    void (*spool_health)(void *owner, const struct export_minute *minute, struct spool *spool);
    /* Prepares the server for batches, before the first one and whenever it was away. HTTP_REFUSED
     * means that it will never accept them. TEXT receives one line unless the result is HTTP_DONE.
     * NULL: nothing to do. */
    enum http_outcome (*prepare)(void *owner, char text[HTTP_TEXT_BYTES]);
    /* Sends BATCH. If IS_UNSURE, the server may have it already. */
    void (*send)(void *owner, const struct export_batch *batch, bool is_unsure,
                 struct http_answer *answer);
    /* Returns whether the server takes batches of that KIND. */
    bool (*takes)(const void *owner, enum export_kind kind);
    /* Returns by how many seconds the server's clock is ahead of this machine's; 0: not known. */
    int64_t (*clock_ahead)(const void *owner);
    /* Returns how many batches the server may have only in part, since the target was created.
     * NULL: none. */
    uint64_t (*unsure_batches)(const void *owner);
    /* Returns how many rows are lost of batches of which the server has the others, since the
     * target was created. NULL: none. */
    uint64_t (*lost_rows)(const void *owner);
    /* Returns how many profiles of batches that it took the server has dropped, since the target
     * was created. NULL: it takes all of a batch or nothing. */
    uint64_t (*dropped_profiles)(const void *owner);
    /* Drops data that the server has had for too long; called now and then. Returns 0, or -EIO with
     * one line in TEXT. NULL: the server does that itself. */
    int (*drop_old)(void *owner, char text[HTTP_TEXT_BYTES]);
    bool wants_files; /* of functions, in addition to the rows */
    void *owner;
};

#endif
