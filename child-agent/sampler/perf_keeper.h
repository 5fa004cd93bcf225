/* Who keeps the perf events of threads: the thread that looks, in its own table of descriptors.
 *
 * Whoever starts or stops a thread's clock marks the thread's slot in the registry; the looking
 * thread then opens or closes what has changed, and looks at no other slot. */
#ifndef PROFD_AGENT_PERF_KEEPER_H
#define PROFD_AGENT_PERF_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/sampling_clock.h"
#include "profd_threads.h"

/* What a slot is to have. */
struct perf_wish {
    bool wants_event;
    uint32_t thread_index; /* of the thread in the slot now; another one needs another event */
    struct profd_thread_id thread;
};

/* Tells it of a slot; asked by the looking thread, while the thread may end. */
typedef struct perf_wish perf_wish_of(uint32_t slot);

/* What came of the wishes. */
struct perf_outcome {
    bool has_changes; /* some slot was marked */
    bool has_opened;
    enum clock_refusal refusal; /* the last one */
};

/* The wish of SLOT (below REGISTRY_MAX_THREADS) may have changed. Any thread. */
void perf_keeper_mark(uint32_t slot);

/* Opens and closes events of marked slots, so that each has what WISH_OF says, with SIGNAL_NUMBER
 * at each INTERVAL_NS; one with another signal is made anew. The looking thread. A wish that is
 * refused is not tried again before its slot is marked again. */
struct perf_outcome perf_keeper_follow(perf_wish_of *wish_of, uint64_t interval_ns,
                                       int signal_number);

/* The signal of the event of SLOT; 0 when it has none. Any thread. */
int perf_keeper_signal_of(uint32_t slot);

/* Closes all events. The looking thread. */
void perf_keeper_close(void);

/* In a forked child, whose tables have no events. */
void perf_keeper_after_fork_child(void);

#endif
