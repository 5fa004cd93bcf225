/* What a block holds: the kinds of entries, and the layout of each.
 *
 * A block is a LEB128 size followed by that many bytes of entry; an entry starts with one byte of
 * kind. Numbers are LEB128 unless stated otherwise. Times are ticks of the arena's clock
 * (buffer/clock.h), stored as the difference from the previous time written in the same chunk; the
 * first one in a chunk is relative to the chunk's start_ticks. Differences of ticks wrap at 2^64,
 * so a time that was read just before its chunk was started, or out of order, is exact and takes
 * ten bytes. No block crosses chunks, so each chunk can be read alone.
 *
 * Sampler chunks hold what threads record about themselves. The chunks of the thread that looks at
 * all others hold a TICK followed by what it learnt about threads at that tick. A thread that is
 * alive and has no entry between one TICK and the next did not run: its sample is "same as before",
 * with no CPU use. Wire numbers: append, never reuse. */
#ifndef PROFD_BUFFER_ENTRY_H
#define PROFD_BUFFER_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#define ENTRY_KINDS(X)                                                                              \
    /* time: starts one tick of the sampler. `time` is when the sampler sent its requests. */       \
    X(TICK, 1)                                                                                      \
    /* thread index, ticks after the TICK, CPU use in µs since the thread's previous sample, kept, \
     * added, then `added` frames. The stack is the outermost `kept` frames of the thread's         \
     * previous stack in this chunk, followed inwards by the added ones. A frame is                 \
     * (zigzag(address - previous frame's address) << 1), or (label's site id << 1 | 1). The        \
     * "previous frame's address" of the first added one is that of the last kept native frame,     \
     * or 0 when there is none. Caller addresses are return addresses. */                           \
    X(SAMPLE, 2)                                                                                    \
    /* Like SAMPLE, for a stack that is deeper than what was copied: outer frames are missing. */   \
    X(SAMPLE_TRUNCATED, 3)                                                                          \
    /* thread index, ticks after the TICK, CPU use in µs: the thread ran, but its stack is         \
     * unchanged. */                                                                                \
    X(SAME, 4)                                                                                      \
    /* thread index: a sample was requested and did not come in time. */                            \
    X(LATE, 5)                                                                                      \
    /* time, site id */                                                                             \
    X(MARKER, 6)                                                                                    \
    X(MARKER_START, 7)                                                                              \
    X(MARKER_END, 8)                                                                                \
    /* time of the end, duration in ticks, site id */                                               \
    X(MARKER_INTERVAL, 9)                                                                           \
    /* Like the four above, followed by text up to the end of the block (bytes, not                 \
     * terminated). */                                                                              \
    X(TEXT_MARKER, 10)                                                                              \
    X(TEXT_MARKER_START, 11)                                                                        \
    X(TEXT_MARKER_END, 12)                                                                          \
    X(TEXT_MARKER_INTERVAL, 13)                                                                     \
    /* Like MARKER and its three companions, followed by a payload up to the end of the block:      \
     * values in the order of the fields in the schema of the site's marker type                    \
     * (buffer/marker_schema.h). */                                                                 \
    X(TYPED_MARKER, 14)                                                                             \
    X(TYPED_MARKER_START, 15)                                                                       \
    X(TYPED_MARKER_END, 16)                                                                         \
    X(TYPED_MARKER_INTERVAL, 17)                                                                    \
    /* A marker with all possible parts: time; which of the four kinds (0 instant, 1 interval,      \
     * 2 start, 3 end); zigzag of how many ticks before `time` it ended or happened; duration       \
     * in ticks; site id; 1 + index of the thread that it belongs to (0: the chunk's thread);       \
     * number of frames of its stack. If that is not 0: zigzag of how many ticks before `time`      \
     * the stack was captured, and the frames, as in SAMPLE. Then, up to the end of the block,      \
     * the payload, or text if the site has no marker type. */                                      \
    X(FULL_MARKER, 18)                                                                              \
    /* ticks after the TICK, then, up to the end of the block, for each counter that has            \
     * changed since the previous COUNTERS or COUNTER_TOTALS: the distance of its index from        \
     * the previous one, zigzag(change of its count), change of its number of operations.           \
     * Sampler chunks only. */                                                                      \
    X(COUNTERS, 25)                                                                                 \
    /* Like COUNTERS, for all existing counters, with their total count and number. It is the       \
     * first entry about counters in a chunk, before the changes of the chunk's first tick. */      \
    X(COUNTER_TOTALS, 26)                                                                           \
    /* How long the sampler itself took at the TICK, in units of OVERHEAD_UNIT_TICKS: waiting       \
     * for its lock, keeping chunks ready, counters, threads. */                                    \
    X(OVERHEAD, 27)                                                                                 \
    /* In sampler chunks, outside of ticks: index of the thread that allocated; index of the        \
     * thread that did this (another one may free); ticks since the previous time in the chunk      \
     * (zigzag; this time does not become the previous one); bytes (zigzag; weighted; negative:     \
     * freed); address; kept, added, frames. The stack is that of the thread that did this. It      \
     * is stored as in SAMPLE, but relative to the stack of the previous allocation in this         \
     * chunk, of whichever thread. */                                                               \
    X(ALLOCATION, 30)                                                                               \
    X(ALLOCATION_TRUNCATED, 31)                                                                     \
    /* thread index, µs for which an event has kept the thread's event loop from handling the      \
     * next events at this tick. Without an entry there is no such event. */                        \
    X(EVENT_DELAY, 35)                                                                              \
    /* A thread that is not registered: enum unregistered_state; its tid; ticks after the TICK;     \
     * ticks since it was last looked at, and CPU use in µs since then (both 0 unless it ran);     \
     * its name up to the end of the block. */                                                      \
    X(UNREGISTERED_THREAD, 36)                                                                      \
    /* number of ticks (1 to QUIET_TICKS_MOST), time of the last of them. The others are evenly     \
     * spaced between the previous time and that one, rounded down. No thread ran at any of         \
     * them. */                                                                                     \
    X(QUIET_TICKS, 37)                                                                              \
    /* In sampler chunks, outside of ticks: what a thread wrote about itself when its clock         \
     * interrupted it. thread index, time, CPU use in µs that the sample stands for, kept,         \
     * added, frames: a stack as in SAMPLE, relative to the thread's previous one in this           \
     * chunk. */                                                                                    \
    X(TIMED_SAMPLE, 38)                                                                             \
    X(TIMED_SAMPLE_TRUNCATED, 39)                                                                   \
    /* thread index, time, CPU use in µs: the stack is unchanged. */                               \
    X(TIMED_SAME, 40)                                                                               \
    /* thread index, time, CPU use in µs since the thread's latest TIMED_SAMPLE, TIMED_SAME or     \
     * THREAD_CPU that no sample accounts for. */                                                   \
    X(THREAD_CPU, 41)

enum entry_kind {
#define X(name, number) ENTRY_##name = number,
    ENTRY_KINDS(X)
#undef X
};

enum { QUIET_TICKS_MOST = 64 };

enum unregistered_state { UNREGISTERED_FOUND = 0, UNREGISTERED_RAN = 1, UNREGISTERED_GONE = 2 };

static inline bool entry_is_marker(uint8_t kind)
{
    return kind >= ENTRY_MARKER && kind <= ENTRY_FULL_MARKER;
}

/* The distance from a marker kind to the same kind with text and with a payload. */
enum {
    ENTRY_TEXT_OFFSET = ENTRY_TEXT_MARKER - ENTRY_MARKER,
    ENTRY_TYPED_OFFSET = ENTRY_TYPED_MARKER - ENTRY_MARKER,
};

/* Why something that was or should have been produced is missing. Counted in the arena's header;
 * the names are shown to users. Some causes count blocks; their sums are what was dropped of what
 * was produced, in blocks and bytes (for a block that was refused, the room that it asked for). The
 * others count events. Append, never reuse. */
#define DROP_CAUSES(X)                                                                             \
    X(MEMORY_LIMIT, 0, "memory-limit")       /* no chunk was available */                          \
    X(RECYCLED, 1, "recycled")               /* oldest chunk reused for newer data */              \
    X(BLOCK_TOO_LARGE, 2, "block-too-large") /* does not fit any chunk */                          \
    X(DICTIONARY_FULL, 3, "dictionary-full")                                                       \
    X(STACK_TRUNCATED, 4, "stack-truncated") /* outer frames missing */                            \
    X(LATE_SAMPLE, 5, "late-sample")                                                               \
    X(REENTRANT, 6, "reentrant") /* recorded from a signal handler that interrupted recording */   \
    X(TOO_MANY_THREADS, 7, "too-many-threads")                                                     \
    X(LABEL_OVERFLOW, 8, "label-overflow") /* label stack full */                                  \
    X(SKIPPED_TICK, 9, "skipped-tick")     /* sampler was late by whole intervals */               \
    X(DAMAGED, 10, "damaged")              /* counted by its chunk, but cannot be read */          \
    X(TOO_MANY_COUNTERS, 11, "too-many-counters")                                                  \
    X(MISSED_ALLOCATION, 12, "missed-allocation") /* sampled, but the sampler was behind */        \
    X(MARKER_TURNED, 13, "marker-turned")     /* ended before it began: shown without duration */  \
    X(TEXT_CUT, 14, "text-cut")               /* a string of a payload was too long */             \
    X(LABEL_UNDERFLOW, 15, "label-underflow") /* popped when nothing was pushed */                 \
    X(LABEL_TEXTS, 16, "label-texts")         /* too many different texts of labels */             \
    X(MISSED_MAPPING, 17, "missed-mapping")   /* too many ranges are mapped to count one more */   \
    X(CATEGORIES, 18, "categories")       /* one too many, or without a name: shown as Other */    \
    X(MARKER_LABELS, 19, "marker-labels") /* name no field of their type: not shown */             \
    X(AMBIGUOUS_SIGNAL, 20, "ambiguous-signal") /* passed to the program, maybe the agent's */     \
    X(UNREADABLE_STACK, 21, "unreadable-stack") /* truncated: the kernel refuses to read memory */ \
    X(REFUSED_SIGNAL, 22, "refused-signal") /* the kernel refuses to ask a thread for a sample */

enum drop_cause {
#define X(name, number, text) DROP_##name = number,
    DROP_CAUSES(X)
#undef X
        DROP_CAUSE_COUNT
};

/* Returns whether CAUSE counts blocks rather than events. */
static inline bool drop_cause_counts_blocks(enum drop_cause cause)
{
    return cause == DROP_MEMORY_LIMIT || cause == DROP_RECYCLED || cause == DROP_BLOCK_TOO_LARGE ||
           cause == DROP_REENTRANT || cause == DROP_DAMAGED;
}

#endif
