/* The source of a row: service, host, program and thread, and further labels, as the columns that
 * the server receives. Labels of a process take precedence over those of the exporter, and these
 * over what the machine knows. One thread. */
#ifndef PROFD_PROFCTL_SOURCE_LABELS_H
#define PROFD_PROFCTL_SOURCE_LABELS_H

#include <stdint.h>

#include "common/label_list.h"
#include "profctl/clickhouse/row_binary.h"
#include "profctl/export/exported_process.h"
#include "profctl/export/label_bounds.h"

enum { SOURCE_HOST_BYTES = LABEL_VALUE_BYTES };

/* Initialised by source_labels_init(). */
struct source_labels {
    struct label_list all; /* for every process: those of the exporter */
    char host[SOURCE_HOST_BYTES];
    struct label_bounds bounds;
    uint64_t left_out;        /* invalid labels, or labels without room, counted each time */
    int64_t pid, seen_ns;     /* of the last process described, … */
    uint32_t later_images;    /* … which of its programs it was … */
    struct label_list labels; /* … and its labels */
};

/* Initializes SOURCE. ALL are the exporter's labels; its label "host", if it has one, replaces the
 * name of this machine. */
void source_labels_init(struct source_labels *source, const struct label_list *all);
void source_labels_fini(struct source_labels *source);

/* Forgets everything that was looked up, so that it is looked up again. */
void source_labels_forget(struct source_labels *source);

/* The function `describe` of profile_rows.h; CONTEXT is the struct. Returns 0 or -ENOMEM. */
int source_labels_describe(void *context, const struct exported_process *process,
                           const char *thread, struct row_writer *columns);

#endif
