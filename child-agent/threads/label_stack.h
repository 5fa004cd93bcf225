/* The label stack of a thread, which labels.c writes and samples copy. */
#ifndef PROFD_AGENT_LABEL_STACK_H
#define PROFD_AGENT_LABEL_STACK_H

#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"
#include "profd.h"

struct pushed_label {
    struct profd_site *site;
    uint64_t stack_address;
    uint32_t site_index;
};

/* Written by its thread, read by that thread's signal handler; a label counts once depth covers it.
 */
struct label_stack {
    uint32_t generation;     /* of the session that it belongs to */
    volatile uint32_t depth; /* may exceed SNAPSHOT_MAX_LABELS; the excess is not kept */
    struct pushed_label labels[SNAPSHOT_MAX_LABELS];
};

/* The calling thread's. In thread-local storage itself, not behind a pointer: a push is a few
 * nanoseconds, of which each further load would be one. */
extern __thread struct label_stack thread_labels
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
