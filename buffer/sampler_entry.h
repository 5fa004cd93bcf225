/* What the sampler reports about the process as a whole: counters, and its own overhead. These
 * functions write and read such entries; their layout is in buffer/entry.h. All are pure functions
 * of their arguments. */
#ifndef PROFD_BUFFER_SAMPLER_ENTRY_H
#define PROFD_BUFFER_SAMPLER_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "buffer/entry.h"
#include "buffer/leb128.h"

enum {
    COUNTERS_MAX = 250, /* in a process */
    OVERHEAD_UNIT_TICKS = 256,
    COUNTERS_ENTRY_START_BYTES = 1 + LEB128_MAX_BYTES,
    COUNTERS_ENTRY_EACH_BYTES = 3 * LEB128_MAX_BYTES,
    COUNTERS_ENTRY_MAX_BYTES =
        COUNTERS_ENTRY_START_BYTES + COUNTERS_MAX * COUNTERS_ENTRY_EACH_BYTES,
    OVERHEAD_ENTRY_MAX_BYTES = 1 + 4 * LEB128_MAX_BYTES,
};

/* The value of a counter. Sums and differences wrap at 2^64. */
struct counter_total {
    int64_t count;
    uint64_t number; /* of operations */
};

/* One counter's change (COUNTERS), or its total (COUNTER_TOTALS). */
struct counter_change {
    uint32_t index; /* below COUNTERS_MAX */
    struct counter_total by;
};

/* Writes a COUNTERS entry with those counters below COUNT that differ between BEFORE and NOW. OUT
 * has room for COUNTERS_ENTRY_MAX_BYTES. Returns the entry's length, or 0 if no counter differs.
 * COUNT is at most COUNTERS_MAX. */
size_t counters_entry_write(uint8_t *out, uint64_t ticks_after_tick,
                            const struct counter_total *before, const struct counter_total *now,
                            uint32_t count);

/* Writes a COUNTER_TOTALS entry with all counters below COUNT, as counters_entry_write() does.
 * Returns its length, or 0 if there are no counters. */
size_t counter_totals_entry_write(uint8_t *out, uint64_t ticks_after_tick,
                                  const struct counter_total *now, uint32_t count);

/* A walk over the counters in the payload of either kind of entry. */
struct counter_cursor {
    const uint8_t *next, *end;
    uint32_t next_index;
};

/* Returns 0 with *TICKS_AFTER_TICK and a cursor before the first counter, or -EPROTO. */
int entry_decode_counters(const uint8_t *payload, size_t bytes, uint64_t *ticks_after_tick,
                          struct counter_cursor *cursor);
/* Returns 1 with *OUT, 0 at the end, or -EPROTO if the entry is damaged. */
int counter_cursor_next(struct counter_cursor *cursor, struct counter_change *out);

/* How long the parts of one tick took, in units of OVERHEAD_UNIT_TICKS. */
struct sampler_overhead {
    uint64_t locking;  /* waiting for the sampler's lock */
    uint64_t cleaning; /* keeping chunks ready */
    uint64_t counters;
    uint64_t threads;
};

/* Writes an OVERHEAD entry to OUT, which has room for OVERHEAD_ENTRY_MAX_BYTES. Returns its
 * length. */
size_t overhead_entry_write(uint8_t *out, const struct sampler_overhead *overhead);
/* Returns 0 or -EPROTO. */
int entry_decode_overhead(const uint8_t *payload, size_t bytes, struct sampler_overhead *out);

#endif
