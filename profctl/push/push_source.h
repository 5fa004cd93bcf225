/* Who sums are of, read from the columns that source_labels.h writes. Pure. */
#ifndef PROFD_PROFCTL_PUSH_SOURCE_H
#define PROFD_PROFCTL_PUSH_SOURCE_H

#include <stddef.h>

#include "common/label_list.h"

/* Not terminated. */
struct push_text {
    const char *bytes;
    size_t length;
};

enum push_field {
    PUSH_SERVICE,
    PUSH_HOST,
    PUSH_PROGRAM,
    PUSH_VERSION,
    PUSH_BUILD_ID,
    PUSH_KIND,
    PUSH_THREAD,
    PUSH_FIELDS,
};

/* Views of the columns. */
struct push_source {
    struct push_text fields[PUSH_FIELDS];
    struct push_text keys[LABELS_MAX], values[LABELS_MAX];
    size_t labels;
};

/* Returns 0; -ENODATA or -EPROTO for what are no such columns. */
int push_source_read(const char *columns, size_t length, struct push_source *out);

#endif
