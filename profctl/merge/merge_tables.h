/* Tables of a thread on their way from one capture into a merged one: categories get the numbers of
 * the merged file, types of markers its names. One thread. */
#ifndef PROFD_PROFCTL_MERGE_TABLES_H
#define PROFD_PROFCTL_MERGE_TABLES_H

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "profctl/tables/category_lists.h"
#include "profctl/tables/marker_schemas.h"

/* What the process at hand has in its "meta", which was read. */
struct merge_lists {
    struct category_lists categories;
    struct marker_schemas schemas;
};

void merge_lists_free(struct merge_lists *lists);

enum merge_table {
    MERGE_STRINGS,
    MERGE_FRAMES,
    MERGE_STACKS,
    MERGE_SAMPLES,
    MERGE_MARKERS,
    MERGE_TABLES /* none of those */
};

/* How much there is in the thread at hand of what rows of its tables are of, and one more than the
 * highest number that any of them names. Zeroed where a thread begins. */
struct merge_counts {
    uint64_t strings, frames, stacks;
    uint64_t named_strings, named_frames, named_stacks;
};

/* Which table the key is of that READER has just returned, a member of a thread. */
enum merge_table merge_tables_named(struct json_reader *reader);

/* Copies a table, the value that comes next. 0, -EPROTO for what is no such table, or an error as
 * json_reader_next. */
int merge_tables_copy(enum merge_table table, const struct merge_lists *lists,
                      struct merge_counts *counts, struct json_reader *reader,
                      struct json_writer *writer);

/* The same for the "samples" of a counter. */
int merge_tables_copy_counter(struct json_reader *reader, struct json_writer *writer);

/* The thread ends, which READER has just read: refuses it, as readers of the merged file would,
 * when its tables name what is not there. 0 or -EPROTO. */
int merge_counts_check(const struct merge_counts *counts, struct json_reader *reader);

#endif
