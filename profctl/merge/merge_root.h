/* The root of a merged capture: not a process, with a "meta" that is valid for all. One thread. */
#ifndef PROFD_PROFCTL_MERGE_ROOT_H
#define PROFD_PROFCTL_MERGE_ROOT_H

#include <stddef.h>

#include "json/json_writer.h"
#include "profctl/merge/merge_plan.h"
#include "profctl/merge/merge_tables.h"

/* Begins the file, up to the first of its processes. SOURCES is not empty; except for what is about
 * the machine, the "meta" of the first one is used. Returns 0, -ENOMEM, or -EPROTO. */
int merge_root_begin(struct json_writer *writer, const struct merge_source *sources, size_t count,
                     const struct merge_span *span, const struct merge_lists *lists);
void merge_root_end(struct json_writer *writer);

#endif
