/* Copies tables of a thread from one capture to a merged one: categories get the numbers of the
 * merged file, and marker types its names. One thread. */
#ifndef PROFD_PROFCTL_MERGE_TABLES_H
#define PROFD_PROFCTL_MERGE_TABLES_H

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "profctl/tables/category_lists.h"
#include "profctl/tables/marker_schemas.h"

/* The lists in the "meta" of the current process, which has been read. */
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

/* The sizes of the tables of the current thread, and 1 plus the highest index that its rows refer
 * to. Zeroed at the start of a thread. */
struct merge_counts {
    uint64_t strings, frames, stacks;
    uint64_t named_strings, named_frames, named_stacks;
};

/* Returns which table the key that READER has just returned, in a thread, names. */
enum merge_table merge_tables_named(struct json_reader *reader);

/* Copies a table, which is the next value. Returns 0, -EPROTO if it is not such a table, or an
 * error of json_reader_next(). */
int merge_tables_copy(enum merge_table table, const struct merge_lists *lists,
                      struct merge_counts *counts, struct json_reader *reader,
                      struct json_writer *writer);

/* Like merge_tables_copy(), for the "samples" of a counter. */
int merge_tables_copy_counter(struct json_reader *reader, struct json_writer *writer);

/* Called at the end of a thread that READER has just read: refuses it, as readers of the merged
 * file would, if its tables refer to rows that do not exist. Returns 0 or -EPROTO. */
int merge_counts_check(const struct merge_counts *counts, struct json_reader *reader);

#endif
