/* Batches of which only a part is there: ClickHouse keeps an INSERT's samples although a view that
 * makes other rows of them (clickhouse_tables.h) failed, as one does whose table has too many
 * parts. What such a batch lacks is made from its samples later, also where the server's answer was
 * lost, or came to another exporter. One thread. */
#ifndef PROFD_PROFCTL_VIEW_REPAIR_H
#define PROFD_PROFCTL_VIEW_REPAIR_H

#include <stdint.h>

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/export/export_batch.h"

/* A zeroed struct knows of none. */
struct view_repair {
    uint64_t batch;          /* the id of the last one … */
    uint64_t due_views;      /* … a bit for each of clickhouse_views whose rows it lacks … */
    unsigned unanswered;     /* … and how often the server did not say which they are */
    uint64_t unsure_batches; /* that may lack rows for good */
};

/* A batch whose samples are there. All is borrowed. */
struct view_batch {
    const struct export_batch *batch;
    const char *host;
    const char *query_id; /* of its INSERT, and of what else is done about it */
};

/* Makes what BATCH lacks, or finds that it lacks nothing. ANSWER is HTTP_DONE then, and also where
 * nobody will find out, which is told and counted; otherwise this is to be tried again. */
void view_repair_run(struct view_repair *repair, struct clickhouse *clickhouse,
                     const struct view_batch *batch, struct http_answer *answer);

/* --- Pure parts --- */

/* Notes what the server said, in TEXT, of the INSERT of BATCH that it failed at. */
void view_repair_note(struct view_repair *repair, const struct export_batch *batch,
                      const char *text);

#endif
