/* Copies the processes of one capture to a merged one as a stream; it needs no more memory than for
 * one string.
 *
 * Processes keep their times; their "meta" says when these begin, as viewers expect, with the clock
 * corrected. Names are prefixed by the host, and process ids made distinct. One thread. */
#ifndef PROFD_PROFCTL_MERGE_COPY_H
#define PROFD_PROFCTL_MERGE_COPY_H

#include "json/json_reader.h"
#include "json/json_writer.h"
#include "profctl/merge/merge_source.h"
#include "profctl/merge/merge_tables.h"

struct merge_copy {
    struct json_reader *reader; /* at the beginning of the capture */
    struct json_writer *writer; /* in an array of processes */
    const struct merge_source *source;
    struct merge_lists *lists; /* has what all captures have in common */
};

/* Copies the root, which becomes a process like the others. Returns 0, -EPROTO, -ENOMEM, or an
 * error of reader or writer. */
int merge_copy_root(const struct merge_copy *copy);

/* Copies the processes below the root. Returns the same as merge_copy_root(). */
int merge_copy_processes(const struct merge_copy *copy);

#endif
