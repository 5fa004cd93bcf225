/* Groups as a request of OTLP's profiles (otlp.proto): a resource for each, in which each value is
 * a profile, and one dictionary of what all refer to. One thread. */
#ifndef PROFD_PROFCTL_PUSH_OTLP_H
#define PROFD_PROFCTL_PUSH_OTLP_H

#include "profctl/push/otlp_dictionary.h"
#include "profctl/push/push_groups.h"

/* Initialised by push_otlp_init(). */
struct push_otlp {
    const struct export_rows *rows; /* borrowed */
    struct otlp_dictionary dictionary;
    struct mapped_array resources, out; /* char: packed; of the current request, and the last one */
};

/* Returns 0 or -ENOMEM. */
int push_otlp_init(struct push_otlp *otlp, const struct export_rows *rows);
void push_otlp_fini(struct push_otlp *otlp);

/* Adds GROUP, of a minute of EVERY_NS, to the request. Returns 0, -ENOMEM, or the error of
 * stack_path_read(). */
int push_otlp_add(struct push_otlp *otlp, const struct push_group *group, uint64_t every_ns);

/* How much was added since the last request. */
size_t push_otlp_bytes(const struct push_otlp *otlp);

/* The request, in OTLP->out until the next call; the next one begins. Returns 0 or -ENOMEM. */
int push_otlp_finish(struct push_otlp *otlp);

#endif
