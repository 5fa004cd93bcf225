/* A capture to be merged with others: its properties, read before anything is written. One
 * thread. */
#ifndef PROFD_PROFCTL_MERGE_SOURCE_H
#define PROFD_PROFCTL_MERGE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "profctl/tables/category_lists.h"
#include "profctl/tables/marker_schemas.h"

/* Larger ids are left unchanged: numbers in JSON are exact up to 2^53. */
#define MERGE_MAX_PID INT64_C(9999999999999)

/* Returns whether MS since 1970 is a plausible wall-clock time; files may contain anything. */
static inline bool merge_time_is_valid(double ms)
{
    return ms > -1e14 && ms < 1e14;
}

struct merge_source {
    const char *path;          /* borrowed */
    struct mapped_array meta;  /* char: the JSON of the root's "meta" */
    double version;            /* of the format */
    double start_unix_ms;      /* of its time line, by the clock of its machine */
    double begin_ms, end_ms;   /* of the profiling, on its time line; NAN: not known */
    double interval_ms;        /* as requested; NAN: not known */
    bool is_symbolicated;      /* already symbolicated */
    struct mapped_array units; /* char: the units of its samples, as JSON */
    struct mapped_array pids;  /* int64_t: of all threads */
    bool has_processes;        /* below the root */

    char host[128];     /* prefix of its processes; merge_plan.h sets these three */
    double offset_ms;   /* correction of its clock */
    int64_t pid_offset; /* distinguishes its processes from those of others */
};

/* Initializes SOURCE with its PATH (borrowed) only. */
void merge_source_init(struct merge_source *source, const char *path);

/* Reads a whole Gecko profile, and adds its categories and marker schemas to those of the merged
 * file. Returns 0, -EPROTO if it is not a Gecko profile, -ENOMEM, or the reader's error. */
int merge_source_read(struct merge_source *source, struct json_reader *reader,
                      struct category_lists *categories, struct marker_schemas *schemas);
void merge_source_free(struct merge_source *source);

#endif
