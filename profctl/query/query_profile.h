/* The answer of a query as a capture: a Gecko profile with a process for each program and a thread
 * for each name, which every reader of captures takes. A sample stands for as much CPU time as the
 * rows say; when it was is not known. One thread. */
#ifndef PROFD_PROFCTL_QUERY_PROFILE_H
#define PROFD_PROFCTL_QUERY_PROFILE_H

#include <stdint.h>

#include "json/json_writer.h"
#include "profctl/query/query_answer.h"

/* The most samples that are written: of more, each stands for several. */
enum { QUERY_MAX_SAMPLES = 200000 };

/* Writes ANSWER's rows, of FROM_S … TO_S, whole, through WRITE. Returns 0, -ENOMEM, or WRITE's
 * error. */
int query_profile_write(const struct query_answer *answer, uint32_t from_s, uint32_t to_s,
                        json_sink_write write, void *context);

#endif
