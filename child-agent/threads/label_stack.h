/* The label stack of a thread. labels.c writes it, and samples copy it. */
#ifndef PROFD_AGENT_LABEL_STACK_H
#define PROFD_AGENT_LABEL_STACK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "child-agent/unwinding/snapshot.h"
#include "profd.h"

struct pushed_label {
    struct profd_site *site;
    uint64_t stack_address;
    uint32_t site_index;
};

/* Written by its thread and read by that thread's signal handler. A label counts once depth
 * includes it. */
struct label_stack {
    uint32_t generation;     /* of the session that it belongs to */
    volatile uint32_t depth; /* may exceed SNAPSHOT_MAX_LABELS; the excess is not stored */
    struct pushed_label labels[SNAPSHOT_MAX_LABELS];
};

/* The calling thread's labels. They are in thread-local storage itself, not behind a pointer: a
 * push takes a few nanoseconds, and each further load would add one. */
extern __thread struct label_stack thread_labels
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

extern _Atomic bool label_stacks_were_used __attribute__((visibility("hidden")));

/* Returns whether any thread ever had a label. Any thread. */
static inline bool label_stacks_are_used(void)
{
    return atomic_load_explicit(&label_stacks_were_used, memory_order_relaxed);
}

#endif
