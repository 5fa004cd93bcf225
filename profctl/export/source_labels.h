/* Who a row is about: service, host, program and thread, and further labels, as the columns that
 * the server gets. A process' own labels come before those of the exporter, and these before what
 * the machine knows. One thread. */
#ifndef PROFD_PROFCTL_SOURCE_LABELS_H
#define PROFD_PROFCTL_SOURCE_LABELS_H

#include <stdint.h>

#include "common/label_list.h"
#include "profctl/clickhouse/row_binary.h"
#include "profctl/export/label_bounds.h"
#include "profctl/export/profile_rows.h"

enum { SOURCE_HOST_BYTES = LABEL_VALUE_BYTES };

/* Initialised by source_labels_init(). */
struct source_labels {
    struct label_list all; /* of every process: the exporter's own */
    char host[SOURCE_HOST_BYTES];
    struct label_bounds bounds;
    uint64_t left_out;        /* labels that are none, or for which there was no room, each time */
    int64_t pid;              /* of the process asked for last … */
    struct label_list labels; /* … and its labels */
};

/* ALL are the exporter's labels; its "host" is this machine's name, where it has one. */
void source_labels_init(struct source_labels *source, const struct label_list *all);
void source_labels_fini(struct source_labels *source);

/* What was looked up is looked up again from here on. */
void source_labels_forget(struct source_labels *source);

/* The describe of profile_rows.h; CONTEXT is the struct. 0 or -ENOMEM. */
int source_labels_describe(void *context, const struct exported_process *process,
                           const char *thread, struct row_writer *columns);

#endif
