/* The labels of a group as Pyroscope and Parca take them: names of letters, digits and _, each
 * once. One thread. */
#ifndef PROFD_PROFCTL_PUSH_LABELS_H
#define PROFD_PROFCTL_PUSH_LABELS_H

#include "profctl/push/push.pb-c.h"
#include "profctl/push/push_source.h"

enum { PUSH_LABELS_MAX = LABELS_MAX + PUSH_FIELDS + 1 };

struct push_labels {
    Push__Label labels[PUSH_LABELS_MAX], *list[PUSH_LABELS_MAX];
    char names[PUSH_LABELS_MAX][LABEL_KEY_BYTES + 1], values[PUSH_LABELS_MAX][LABEL_VALUE_BYTES];
    size_t count;
};

/* The labels of SOURCE, of whose profiles PROFILE is one: "process_cpu". Empty values are left out.
 * A label takes the place of what is found out under its name, but not of PROFILE. */
void push_labels_make(struct push_labels *labels, const struct push_source *source,
                      const char *profile);

#endif
