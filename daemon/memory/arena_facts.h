/* A few numbers of an arena for the status, read without reading the recordings.
 *
 * They come from the process itself, which may lie, so nothing may depend on them. */
#ifndef PROFD_DAEMON_ARENA_FACTS_H
#define PROFD_DAEMON_ARENA_FACTS_H

#include <stdint.h>

#include "buffer/block_account.h"
#include "buffer/entry.h"
#include "common/sampling_clock.h"

struct arena_facts {
    uint32_t threads;
    uint32_t dictionary_bytes;
    uint64_t tick_lateness_ns, most_tick_lateness_ns;
    enum sampling_clock sampling_clock; /* AUTO: none yet */
    enum clock_refusal sampling_clock_refusal;
    uint64_t sampling_interval_ns; /* 0: not known */
    uint64_t drops[DROP_CAUSE_COUNT];
    uint64_t drop_bytes[DROP_CAUSE_COUNT];
    struct block_account account;
};

/* Reads those of the arena at OFFSET in the file FD. Returns 0, -EPROTO if there is no arena, or
 * the negative errno of pread. */
int arena_facts_read(int fd, uint64_t offset, struct arena_facts *out);

#endif
