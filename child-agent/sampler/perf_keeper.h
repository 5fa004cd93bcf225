/* Keeps the perf events of threads: in the looking thread, with its own descriptor table.
 *
 * A thread that starts or stops a thread's clock marks that thread's slot in the registry. The
 * looking thread then opens or closes what has changed, and looks at no other slot. */
#ifndef PROFD_AGENT_PERF_KEEPER_H
#define PROFD_AGENT_PERF_KEEPER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/sampling_clock.h"
#include "profd_threads.h"

/* What a slot should have. */
struct perf_wish {
    bool wants_event;
    uint32_t thread_index; /* of the thread that is now in the slot; another thread needs another
                            * event */
    struct profd_thread_id thread;
};

/* Returns the wish of SLOT. Called by the looking thread; the thread may end meanwhile. */
typedef struct perf_wish perf_wish_of(uint32_t slot);

/* The outcome of the wishes. */
struct perf_outcome {
    bool has_changes; /* some slot was marked */
    bool has_opened;
    enum clock_refusal refusal; /* the last refusal */
};

/* Notes that the wish of SLOT (below REGISTRY_MAX_THREADS) may have changed. Any thread. */
void perf_keeper_mark(uint32_t slot);

/* Opens and closes the events of marked slots, so that each has what WISH_OF says, with
 * SIGNAL_NUMBER at each INTERVAL_NS. An event with another signal is created anew. A refused wish
 * is not tried again before its slot is marked again. Looking thread. */
struct perf_outcome perf_keeper_follow(perf_wish_of *wish_of, uint64_t interval_ns,
                                       int signal_number);

/* Returns the signal of the event of SLOT; 0 if it has none. Any thread. */
int perf_keeper_signal_of(uint32_t slot);

/* Closes all events, and marks their slots: another session may want such. Looking thread. */
void perf_keeper_close(void);

/* Called in a forked child, whose descriptor tables have no events. */
void perf_keeper_after_fork_child(void);

#endif
