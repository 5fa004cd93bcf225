/* A capture that is to be merged with others: what it says of itself, read before anything is
 * written. One thread. */
#ifndef PROFD_PROFCTL_MERGE_SOURCE_H
#define PROFD_PROFCTL_MERGE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "profctl/tables/category_lists.h"
#include "profctl/tables/marker_schemas.h"

/* Larger ids are left as they are: numbers of JSON end at 2^53. */
#define MERGE_MAX_PID INT64_C(9999999999999)

/* Whether a wall clock can show MS since 1970: files may say anything. */
static inline bool merge_time_is_valid(double ms)
{
    return ms > -1e14 && ms < 1e14;
}

struct merge_source {
    const char *path;          /* borrowed */
    struct mapped_array meta;  /* char: the root's "meta", as it is written */
    double version;            /* of the format */
    double start_unix_ms;      /* of its time line, by the clock of its machine */
    double begin_ms, end_ms;   /* of the profiling, on its time line; NAN: not told */
    double interval_ms;        /* that was asked for; NAN: not told */
    bool is_symbolicated;      /* before it came here */
    struct mapped_array units; /* char: what its samples are counted in, as JSON */
    struct mapped_array pids;  /* int64_t: of all threads */
    bool has_processes;        /* below the root */

    char host[128];     /* what its processes are prefixed by; merge_plan.h sets these three */
    double offset_ms;   /* what its clock is corrected by */
    int64_t pid_offset; /* that keeps its processes apart from those of others */
};

/* Nothing is known but where it is. PATH is borrowed. */
void merge_source_init(struct merge_source *source, const char *path);

/* Reads all of a Gecko profile, and adds its categories and marker schemas to those of the merged
 * file. 0, -EPROTO for what is no such profile, -ENOMEM, or the reader's error. */
int merge_source_read(struct merge_source *source, struct json_reader *reader,
                      struct category_lists *categories, struct marker_schemas *schemas);
void merge_source_free(struct merge_source *source);

#endif
