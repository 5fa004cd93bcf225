/* Batches of which only a part is there: ClickHouse keeps an INSERT's samples although a view that
 * makes other rows of them (clickhouse_tables.h) failed, as one does whose table has too many
 * parts. Where the server says which view it was, the rows are made from the samples later. One
 * thread. */
#ifndef PROFD_PROFCTL_VIEW_REPAIR_H
#define PROFD_PROFCTL_VIEW_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/clickhouse/clickhouse.h"
#include "profctl/export/export_batch.h"

/* A zeroed struct is none. */
struct view_repair {
    uint64_t batch;     /* its id */
    uint64_t due_views; /* a bit for each of clickhouse_views whose rows it lacks */
};

/* Whether BATCH, whose samples are there, lacks anything. */
bool view_repair_is_due(const struct view_repair *repair, const struct export_batch *batch);

/* Makes what BATCH of HOST lacks. ANSWER is HTTP_DONE when all is there, or may be: what nobody
 * knows of is told, and not made twice. */
void view_repair_run(struct view_repair *repair, struct clickhouse *clickhouse,
                     const struct export_batch *batch, const char *host,
                     struct http_answer *answer);

/* --- Pure parts --- */

/* Notes what the server said, in TEXT, of the INSERT of BATCH that it failed at. */
void view_repair_note(struct view_repair *repair, const struct export_batch *batch,
                      const char *text);

#endif
