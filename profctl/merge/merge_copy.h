/* Copies the processes of one capture into a merged one, in a stream: memory is that of one string.
 *
 * Processes keep their times; their "meta" tells when those begin, as viewers expect, with the
 * clock corrected. Names are prefixed by the host, process ids made distinct. One thread. */
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
    struct merge_lists *lists; /* what all captures have is in there */
};

/* Copies the root, which becomes a process like the others. 0, -EPROTO, -ENOMEM, or an error of
 * reader or writer. */
int merge_copy_root(const struct merge_copy *copy);

/* Copies the processes that were below the root. The same. */
int merge_copy_processes(const struct merge_copy *copy);

#endif
