/* Repairs batches of which the server has only a part. ClickHouse keeps the samples of an INSERT
 * even if a view that makes other rows of them (clickhouse_tables.h) failed, for example because
 * its table has too many parts. What such a batch lacks is made from its samples later, even if the
 * server's answer was lost or came to another exporter. One thread. */
#ifndef PROFD_PROFCTL_VIEW_REPAIR_H
#define PROFD_PROFCTL_VIEW_REPAIR_H

#include <stdint.h>

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/export/export_batch.h"

/* A zeroed struct knows no batch. */
struct view_repair {
    uint64_t batch;      /* the id of the last batch … */
    uint64_t due_views;  /* … a bit for each of clickhouse_views if its rows are missing … */
    unsigned unanswered; /* … and how often the server did not tell which ones are */
    uint64_t unsure_batches; /* which may lack rows permanently */
};

/* A batch whose samples are on the server. Everything is borrowed. */
struct view_batch {
    const struct export_batch *batch;
    const char *host;
    const char *query_id; /* of its INSERT, and of its repair */
};

/* Makes the missing rows of BATCH, or finds that there are none. ANSWER is HTTP_DONE then, and also
 * if it can never be known, which is reported and counted; otherwise try again later. */
void view_repair_run(struct view_repair *repair, struct clickhouse *clickhouse,
                     const struct view_batch *batch, struct http_answer *answer);

/* --- Pure parts --- */

/* Notes TEXT, the server's message about the failed INSERT of BATCH. */
void view_repair_note(struct view_repair *repair, const struct export_batch *batch,
                      const char *text);

#endif
