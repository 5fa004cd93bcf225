/* Whether the sums that a view makes of a batch's samples are there: the question, and the answer.
 *
 * Sums have no batch. But of each of their rows that the batch has a part in it is known, to the
 * nanosecond, what all samples add up to: where so much is missing as is the batch's, it is the
 * batch that is missing. Others insert at the same time, or lack something themselves, so what most
 * rows say is so. Pure. */
#ifndef PROFD_PROFCTL_VIEW_QUESTION_H
#define PROFD_PROFCTL_VIEW_QUESTION_H

#include "profctl/clickhouse/clickhouse_tables.h"
#include "profctl/clickhouse/sql_text.h"
#include "profctl/export/export_batch.h"

/* How the server says it. */
#define VIEW_LACKS_IT      "lacks"
#define VIEW_HAS_IT        "has"
#define VIEW_TELLS_NOTHING "unknown"

/* Appends what is true of the samples of BATCH of HOST alone. */
void view_question_put_batch(const struct export_batch *batch, const char *host,
                             struct sql_text *sql);

/* Appends the question, which has one of the words above as its answer. VIEW has sums. */
void view_question_put(const char *database, const struct view_definition *view,
                       const struct export_batch *batch, const char *host, struct sql_text *sql);

#endif
