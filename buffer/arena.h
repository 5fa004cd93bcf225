/* The arena: the shared memory that holds everything that one process has recorded.
 *
 * It is a sealed memfd (its size cannot change) with a header, a dictionary and slots for chunks.
 * The agent passes the descriptor to profd in its hello, so what was recorded outlives the process.
 * The memfd is sparse: only touched pages cost memory. It is little-endian and has the same layout
 * on both sides. A reader checks every number (buffer/arena_reader.h).
 *
 *     0            4096                       chunks_offset           groups.offset
 *     ├─ header ───┼─ dictionary (append) ────┼─ chunk 0 ─┼─ chunk 1 ─┼ … ┼─ groups (append) ─┤ */
#ifndef PROFD_BUFFER_ARENA_H
#define PROFD_BUFFER_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffer/chunk.h"
#include "buffer/clock.h"
#include "buffer/entry.h"
#include "buffer/event_loan.h"
#include "buffer/group_table.h"
#include "buffer/lease_ledger.h"

#define ARENA_MAGIC 0x3141465052ULL /* "RPFA1" */

enum {
    ARENA_VERSION = 4,
    ARENA_HEADER_BYTES = 4096,
    ARENA_PAGE_BYTES = 4096,
    ARENA_DICTIONARY_BYTES = 4 * 1024 * 1024, /* the most room; used only as needed */
    ARENA_MAX_CHUNKS = 1024 * 1024,           /* 64 GB */
    ARENA_MARKER_TRIGGERS = 16,
    ARENA_TITLE_BYTES = 128,
    ARENA_LABELS_BYTES = 1024,
};

/* Fields appended to the header are 0 in older arenas and need no new version. */
struct arena_header {
    uint64_t magic;
    uint32_t version;
    uint32_t chunk_bytes;
    uint64_t total_bytes;
    uint32_t dictionary_offset;
    uint32_t dictionary_bytes; /* capacity */
    uint64_t chunks_offset;
    uint32_t chunk_count;
    int32_t process_id;
    int32_t parent_process_id;
    uint32_t ticks_are_tsc;
    uint64_t process_start_ns; /* CLOCK_MONOTONIC; when the process image began, by fork or exec */
    struct clock_pair first_pair;
    /* The latest pair. One thread writes it as a sequence lock: odd while it is changing. */
    _Atomic uint32_t latest_sequence;
    uint32_t reserved;
    _Atomic uint64_t latest_ticks;
    _Atomic uint64_t latest_monotonic_ns;
    /* The session that chunks belong to; 0: none yet. Chunks of other generations are ignored. */
    _Atomic uint32_t generation;
    _Atomic uint32_t is_recording;
    _Atomic uint64_t session_start_ns;
    _Atomic uint64_t interval_ns;
    _Atomic uint64_t next_range_start;      /* global index for the next chunk */
    _Atomic uint64_t chunk_high_water;      /* slots from here on were never used */
    _Atomic uint32_t dictionary_used_bytes; /* release-stored after each record */
    _Atomic uint32_t live_threads;          /* of the program; at most a second old */
    /* What was dropped, by cause: the number of blocks or events, and the bytes of blocks. */
    _Atomic uint64_t drops[32];
    _Atomic uint64_t drop_bytes[32];
    /* The time from when a tick of the sampler was due until it was done: over the latest ticks,
     * and the maximum so far. */
    _Atomic uint64_t tick_lateness_ns;
    _Atomic uint64_t most_tick_lateness_ns;
    /* By trigger: how many intervals of the session lasted longer than the trigger allows. */
    _Atomic uint32_t marker_hits[ARENA_MARKER_TRIGGERS];
    /* The clock that this process really uses (common/sampling_clock.h; AUTO: none yet), why it is
     * not the requested one, and the real interval between samples of CPU time (0: not known). */
    _Atomic uint32_t sampling_clock;
    _Atomic uint32_t sampling_clock_refusal;
    _Atomic uint64_t sampling_interval_ns;
    /* The title that the process has given itself, terminated; "": none. It is changed in place, so
     * a reader may see a mixture of an old and a new one. */
    char title[ARENA_TITLE_BYTES];
    /* What the session's writers have produced, as counted by them: the blocks of chunks that they
     * gave back, and refused blocks. Chunks in use are not yet included. */
    _Atomic uint64_t produced_blocks;
    _Atomic uint64_t produced_bytes;
    struct event_loan event_loan;
    struct group_table_header groups;
    /* The labels that the environment of the process gives it (PROFD_LABELS), terminated; "":
     * none. */
    char labels[ARENA_LABELS_BYTES];
    uint32_t labels_left_out; /* how many more labels there were, for which there was no room */
    /* Not 0 while the process moves a chunk from one state to the next, when the counts above do
     * not match its state; for good if it is stopped or killed just then. */
    _Atomic uint32_t is_chunk_moving;
};

_Static_assert(sizeof(struct arena_header) <= ARENA_HEADER_BYTES, "the header fits its page");
_Static_assert(DROP_CAUSE_COUNT <= 32, "every cause has a counter");

/* Header page and dictionary, in lease units. The first unit is the header's. */
enum {
    ARENA_FRONT_UNITS =
        (ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES,
    /* Room for the names of nearly as many threads as can exist at once, each renamed once. */
    ARENA_SURE_FRONT_UNITS = 20,
};

/* The lease that an arena's memory is taken from. */
struct arena_lease {
    struct lease_ledger *ledger; /* borrowed; NULL: memory is not accounted for */
    lease_owner owner;
    _Atomic uint32_t units;       /* in use now */
    uint32_t front_units;         /* of these, for header and dictionary */
    _Atomic uint32_t group_units; /* of these, for groups */
};

/* The room of an arena, in bytes. Memory is taken only as it is used. */
struct arena_room {
    uint64_t chunk_bytes;      /* rounded down to whole chunks */
    uint32_t dictionary_bytes; /* at most ARENA_DICTIONARY_BYTES; rounded down to pages */
    uint32_t group_bytes;      /* at most GROUP_TABLE_BYTES; rounded down to pages; 0: no groups */
};

/* A mapped arena, on the writer's side. */
struct arena {
    struct arena_header *header;
    uint8_t *dictionary;
    uint8_t *chunks;
    uint32_t dictionary_bytes; /* room */
    size_t mapped_bytes;
    int fd;       /* owned; close-on-exec */
    dev_t device; /* device and inode of fd when it was created, since a program may close any
                   * descriptor */
    ino_t inode;
    struct arena_lease lease;
};

/* Creates the arena of this process, with room for CAPACITY_BYTES of chunks (rounded down to whole
 * ones) and without groups: a sealed memfd, and a mapping that a forked child does not inherit and
 * a core dump leaves out. A file-size limit (RLIMIT_FSIZE) makes the arena smaller. Returns 0;
 * -EINVAL if CAPACITY_BYTES is less than one chunk or more than ARENA_MAX_CHUNKS, -EFBIG if the
 * file-size limit leaves no room for a chunk, or an error of memfd_create, ftruncate or mmap. *OUT
 * can be destroyed in any case. header->process_start_ns is set to now; a caller that knows better
 * corrects it. */
int arena_create(uint64_t capacity_bytes, struct arena *out);

/* Like arena_create(), with ROOM and within a lease: no memory is touched before OWNER has a
 * unit of LEDGER (borrowed) for it. Also returns -ENOSPC if not even a unit for the header is
 * available. */
int arena_create_leased(const struct arena_room *room, struct lease_ledger *ledger,
                        lease_owner owner, struct arena *out);

/* Sets the process ids in the header of the arena in FD, which stays the caller's, to the numbers
 * that its reader knows the process by. In a pid namespace of its own, the process itself sees
 * other numbers. Returns 0 or -errno. */
int arena_file_set_process(int fd, int32_t process_id, int32_t parent_process_id);

/* Takes a unit for memory that is about to be used. Returns 0 with the unit's number (0 without a
 * ledger), or -ENOSPC. Any thread. */
int arena_take_unit(struct arena *arena, uint32_t *unit);

/* Gives back a unit whose memory has already gone back to the kernel. Any thread. */
void arena_give_back_unit(struct arena *arena, uint32_t unit);

/* Stops counting a unit that profd has already given back. Any thread. */
void arena_forget_unit(struct arena *arena);

/* Makes sure that the first BYTES of the dictionary may be used. When the units to grow are
 * exhausted, its first ARENA_SURE_FRONT_UNITS come from the units that are kept for starting
 * processes, since chunks are worthless without the names of their threads. Returns 0 or -ENOSPC.
 * Called under the dictionary's lock. */
int arena_lease_dictionary(struct arena *arena, uint64_t bytes);

/* Makes sure that the first BYTES of the groups may be used; they may take at most one part in
 * GROUP_TABLE_LIMIT_SHARE of the limit. Returns 0 or -ENOSPC. One thread at a time. */
int arena_lease_groups(struct arena *arena, uint64_t bytes);

/* Moves ARENA to another file, with the same contents at the same addresses. Whoever has the old
 * file keeps it without its chunks: these are moved, so that no memory is taken twice. Nobody may
 * be recording. Returns 0; -EFBIG if the process may not create so large a file, with nothing
 * changed; or -errno, after which chunks may be missing. */
int arena_replace_file(struct arena *arena);

/* Unmaps and closes ARENA. Its units stay with their owner, since others may hold the file. Safe on
 * a zeroed struct whose fd is -1. */
void arena_destroy(struct arena *arena);

/* Like arena_destroy(), for an arena whose file nobody else has. Its units become free for others
 * once its memory is freed. */
void arena_discard(struct arena *arena);

/* Like arena_destroy(), in a child after fork. The child has the descriptor but not the mapping;
 * whatever is mapped at those addresses now belongs to somebody else. */
void arena_abandon(struct arena *arena);

/* Returns whether arena->fd is still the arena, rather than closed or some other file of the
 * program. */
bool arena_owns_fd(const struct arena *arena);

/* Returns the chunk in slot INDEX, which must be below header->chunk_count. */
static inline struct chunk *arena_chunk(const struct arena *arena, uint32_t index)
{
    return (struct chunk *)(void *)(arena->chunks + (size_t)index * CHUNK_BYTES);
}

/* Records a new clock pair as the latest. Any thread; if two call it at once, one of them does the
 * work. */
void arena_update_clock(struct arena *arena);

/* Resets the account of blocks, since each session has its own. Nobody may be recording. */
void arena_begin_account(struct arena *arena);

/* Adds COUNT events to CAUSE. Any thread; async-signal-safe. */
static inline void arena_count_drop(struct arena *arena, enum drop_cause cause, uint64_t count)
{
    atomic_fetch_add_explicit(&arena->header->drops[cause], count, memory_order_relaxed);
}

/* Adds COUNT blocks of BYTES in total to what was produced. Any thread; async-signal-safe. */
static inline void arena_count_produced_blocks(struct arena_header *header, uint64_t count,
                                               uint64_t bytes)
{
    atomic_fetch_add_explicit(&header->produced_blocks, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->produced_bytes, bytes, memory_order_relaxed);
}

/* Adds COUNT blocks of BYTES in total to CAUSE. Any thread; async-signal-safe. */
static inline void arena_count_dropped_blocks(struct arena_header *header, enum drop_cause cause,
                                              uint64_t count, uint64_t bytes)
{
    atomic_fetch_add_explicit(&header->drops[cause], count, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->drop_bytes[cause], bytes, memory_order_relaxed);
}

/* Announces that a chunk changes its state and is counted, which takes two steps. Until
 * arena_end_move(), a reader takes no number of produced blocks from the counts. Called under the
 * chunk manager's lock. Async-signal-safe. */
static inline void arena_begin_move(struct arena_header *header)
{
    /* An exchange, as nothing that is written later may become visible before it. */
    (void)atomic_exchange_explicit(&header->is_chunk_moving, 1, memory_order_acq_rel);
}

/* Ends what arena_begin_move() announced. Under the same lock. Async-signal-safe. */
static inline void arena_end_move(struct arena_header *header)
{
    atomic_store_explicit(&header->is_chunk_moving, 0, memory_order_release);
}

/* Counts a block of BYTES as produced and dropped at once. A concurrent reader never sees it as
 * missing. Any thread; async-signal-safe. */
static inline void arena_count_refused_block(struct arena_header *header, enum drop_cause cause,
                                             uint64_t bytes)
{
    arena_count_dropped_blocks(header, cause, 1, bytes);
    arena_count_produced_blocks(header, 1, bytes);
}

/* Counts the blocks of CHUNK as produced. Its writer has given it back, or has ended. */
static inline void arena_count_closed_chunk(struct arena_header *header, const struct chunk *chunk)
{
    arena_count_produced_blocks(
        header, atomic_load_explicit(&chunk->block_count, memory_order_relaxed),
        atomic_load_explicit(&chunk->offset_past_last_block, memory_order_relaxed));
}

/* Counts all blocks of CHUNK, which is about to lose its memory, as recycled. */
static inline void arena_count_recycled_chunk(struct arena_header *header,
                                              const struct chunk *chunk)
{
    arena_count_dropped_blocks(
        header, DROP_RECYCLED, atomic_load_explicit(&chunk->block_count, memory_order_relaxed),
        atomic_load_explicit(&chunk->offset_past_last_block, memory_order_relaxed));
}

/* Returns whether no chunk began, was given back or was recycled between the times that the headers
 * BEFORE and AFTER were read at. */
static inline bool arena_is_same_stock(const struct arena_header *before,
                                       const struct arena_header *after)
{
    return before->produced_blocks == after->produced_blocks &&
           before->next_range_start == after->next_range_start &&
           before->drops[DROP_RECYCLED] == after->drops[DROP_RECYCLED];
}

#endif
