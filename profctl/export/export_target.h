/* Where an export goes: what becomes of the rows of a minute on their way to the spool, and of a
 * batch on its way to the server. Those who know a server fill in the table; exporter.h and
 * delivery.h know none. */
#ifndef PROFD_PROFCTL_EXPORT_TARGET_H
#define PROFD_PROFCTL_EXPORT_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/export/export_health.h"
#include "profctl/export/export_rows.h"
#include "profctl/export/spool.h"
#include "profctl/http/http_client.h"

/* A minute, or as much of it as there is. All is borrowed. */
struct export_minute {
    const struct export_rows *rows;
    const struct export_health *health; /* but for what is counted while the minute is spooled */
    const char *host;
    uint32_t first_s, last_s; /* when the first and last minute of the rows begin, since 1970 */
    uint64_t from_ns, duration_ns; /* of what was recorded, since 1970 */
    uint64_t every_ns;             /* that a minute takes */
};

/* What was spooled. */
struct export_counts {
    uint64_t rows, new_stacks;
};

struct export_target {
    /* Makes batches of MINUTE and adds them to SPOOL, which counts what it cannot keep. */
    struct export_counts (*spool)(void *owner, const struct export_minute *minute,
                                  struct spool *spool);
    /* Adds what the exporter tells of itself, once it is known. NULL: the server does not take it.
     */
    void (*spool_health)(void *owner, const struct export_minute *minute, struct spool *spool);
    /* Makes the server ready for batches, before the first and whenever it was away. HTTP_REFUSED:
     * it never will be. TEXT gets one line where it is not HTTP_DONE. NULL: there is nothing to do.
     */
    enum http_outcome (*prepare)(void *owner, char text[HTTP_TEXT_BYTES]);
    /* Sends BATCH; where IS_UNSURE, it may be there already. */
    void (*send)(void *owner, const struct export_batch *batch, bool is_unsure,
                 struct http_answer *answer);
    /* Whether it takes batches of that KIND. */
    bool (*takes)(const void *owner, enum export_kind kind);
    /* By how many seconds the server's clock is ahead of this machine's; 0: not known. */
    int64_t (*clock_ahead)(const void *owner);
    /* How many batches it may have only a part of, since the target began. NULL: there are none. */
    uint64_t (*unsure_batches)(const void *owner);
    /* Drops what the server has for too long, now and then. 0, or -EIO with one line in TEXT. NULL:
     * the server does that itself. */
    int (*drop_old)(void *owner, char text[HTTP_TEXT_BYTES]);
    bool wants_files; /* of functions, which the rows have beside them then */
    void *owner;
};

#endif
