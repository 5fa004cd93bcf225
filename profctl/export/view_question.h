/* Asks whether the sums that a view makes of a batch's samples exist: the query and its results.
 *
 * Sums do not name batches. But for each row of sums that the batch contributes to, the total of
 * all samples is known to the nanosecond: if the missing amount equals the batch's part, the batch
 * is missing. Other exporters insert at the same time, or lack something themselves, so the
 * majority of the rows decides. Pure. */
#ifndef PROFD_PROFCTL_VIEW_QUESTION_H
#define PROFD_PROFCTL_VIEW_QUESTION_H

#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"
#include "profctl/export/export_batch.h"

/* The results of the query. */
#define VIEW_LACKS_IT      "lacks"
#define VIEW_HAS_IT        "has"
#define VIEW_TELLS_NOTHING "unknown"

/* Appends the condition that only samples of BATCH of HOST meet. */
void view_question_put_batch(const struct export_batch *batch, const char *host,
                             struct sql_text *sql);

/* Appends the query, which returns one of the words above. VIEW has sums. */
void view_question_put(const char *database, const struct view_definition *view,
                       const struct export_batch *batch, const char *host, struct sql_text *sql);

#endif
