/* profd_counters.h: numbers that a program counts, as graphs on the time line of its process.
 *
 *     PROFD_COUNTER(requests, "Requests", "Network", "requests that were answered");
 *     …
 *     profd_counter_add(&requests, 1);
 *
 * A counter has a value, which each call adds to, and the number of calls. The sampler records
 * changes whenever it looks: up to twenty times a second while anything in the process runs, and
 * with `--clock wall` at each interval. Adding takes no lock and touches memory of the calling
 * thread only; without a session it costs one load and one branch, and counts nothing. Counters
 * also count while the session is paused. */
#include "profd.h" /* before the guard: it includes this header in its order */

#ifndef PROFD_COUNTERS_H
#define PROFD_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "profd_counter_cell_x86_64.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* One of the bits of profd_recording. */
enum { PROFD_RECORDING_COUNTERS = 64 };

/* A counter: one static object each, made by PROFD_COUNTER. Its strings are copied at the first
 * add, so that a library with counters may be unloaded. */
struct profd_counter {
    const char *name;
    const char *category;
    const char *description;
    uint32_t slot; /* atomic: given at first use; 0 before */
};

/* Declares a counter, at file scope or inside a function. Counters of one name and category are one
 * counter, wherever in the process they are declared. The Firefox Profiler draws the category
 * "Memory" as a level in bytes, "Bandwidth" as bytes and "power" as picowatt-hours in a span of
 * time, any other as a rate. Names and categories are cut at 63 bytes, descriptions at 191. */
#define PROFD_COUNTER(VARIABLE, NAME, CATEGORY, DESCRIPTION)                                       \
    static struct profd_counter VARIABLE                                                           \
        __attribute__((unused)) = { NAME, CATEGORY, DESCRIPTION, 0 }

#ifndef PROFD_DISABLED

/* Moves the counter by DELTA. Any thread; also a signal handler if the counter was registered, or
 * used outside a handler, before. A process can have 250 counters; further ones are not recorded
 * but counted in the profile ("too-many-counters"). */
static inline void profd_counter_add(struct profd_counter *counter, int64_t delta);

/* Shows the counter from now on, also before the first add. 0, or -ENOSPC: there are too many. Any
 * thread. */
int profd_counter_register(struct profd_counter *counter);

/* --- Details --- */

/* The calling thread's cells, by slot; NULL before its first add. */
extern __thread struct profd_counter_cell *profd_counter_cells_
    __attribute__((tls_model("initial-exec")));

/* For a counter without slot, or a thread without cells. */
void profd_counter_add_slow_(struct profd_counter *counter, int64_t delta);

static inline void profd_counter_add(struct profd_counter *counter, int64_t delta)
{
    if (__builtin_expect((profd_recording & PROFD_RECORDING_COUNTERS) == 0, 1))
        return;
    struct profd_counter_cell *cells = profd_counter_cells_;
    uint8_t slot = (uint8_t)__atomic_load_n(&counter->slot, __ATOMIC_RELAXED);
    if (__builtin_expect(cells == NULL || slot == 0, 0))
        profd_counter_add_slow_(counter, delta);
    else
        profd_counter_cell_add(&cells[slot], delta);
}

#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
