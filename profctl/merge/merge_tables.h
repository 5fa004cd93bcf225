/* Tables of a thread on their way from one capture into a merged one: categories get the numbers of
 * the merged file, types of markers its names. One thread. */
#ifndef PROFD_PROFCTL_MERGE_TABLES_H
#define PROFD_PROFCTL_MERGE_TABLES_H

#include "profctl/tables/category_lists.h"
#include "profctl/tables/marker_schemas.h"
#include "json/json_reader.h"
#include "json/json_writer.h"

/* What the process at hand has in its "meta", which was read. */
struct merge_lists {
    struct category_lists categories;
    struct marker_schemas schemas;
};

void merge_lists_free(struct merge_lists *lists);

/* Each copies a table, the value that comes next. 0, -EPROTO for what is no such table, or an error
 * as json_reader_next. */
int merge_tables_copy_frames(const struct merge_lists *lists, struct json_reader *reader,
                             struct json_writer *writer);
int merge_tables_copy_markers(const struct merge_lists *lists, struct json_reader *reader,
                              struct json_writer *writer);

#endif
