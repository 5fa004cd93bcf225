/* The arena: the shared memory that holds everything one process recorded.
 *
 * A sealed memfd (its size cannot change) with a header, a dictionary and slots for chunks. The
 * descriptor goes to profd in the agent's hello, so what was recorded outlives the process. Sparse:
 * only touched pages cost memory. Little-endian, same layout on both sides; a reader checks every
 * number (buffer/arena_reader.h).
 *
 *     0            4096                       chunks_offset           groups.offset
 *     ├─ header ───┼─ dictionary (append) ────┼─ chunk 0 ─┼─ chunk 1 ─┼ … ┼─ groups (append) ─┤
 */
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
    ARENA_DICTIONARY_BYTES = 4 * 1024 * 1024, /* room, not use; at most */
    ARENA_MAX_CHUNKS = 1024 * 1024,           /* 64 GB */
    ARENA_MARKER_TRIGGERS = 16,
    ARENA_TITLE_BYTES = 128,
    ARENA_LABELS_BYTES = 1024,
};

/* What is appended to it is 0 in arenas of before, and needs no other version. */
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
    uint64_t process_start_ns; /* CLOCK_MONOTONIC; of the image: fork or exec */
    struct clock_pair first_pair;
    /* The latest pair, written by one thread as a sequence lock: odd while changing. */
    _Atomic uint32_t latest_sequence;
    uint32_t reserved;
    _Atomic uint64_t latest_ticks;
    _Atomic uint64_t latest_monotonic_ns;
    /* The session that chunks belong to: 0 none yet. Chunks of other generations are ignored. */
    _Atomic uint32_t generation;
    _Atomic uint32_t is_recording;
    _Atomic uint64_t session_start_ns;
    _Atomic uint64_t interval_ns;
    _Atomic uint64_t next_range_start;      /* global index for the next chunk */
    _Atomic uint64_t chunk_high_water;      /* slots at or above were never used */
    _Atomic uint32_t dictionary_used_bytes; /* release-stored after each record */
    _Atomic uint32_t live_threads;          /* of the program, a second ago or less */
    /* What was dropped, by cause: how many blocks or events, and the bytes of blocks. */
    _Atomic uint64_t drops[32];
    _Atomic uint64_t drop_bytes[32];
    /* From when a tick of the sampler was due until it was done: over the last ones, and the most
     * that it ever was. */
    _Atomic uint64_t tick_lateness_ns;
    _Atomic uint64_t most_tick_lateness_ns;
    /* Intervals of the session that lasted longer than their trigger says, by trigger. */
    _Atomic uint32_t marker_hits[ARENA_MARKER_TRIGGERS];
    /* common/sampling_clock.h: the clock that this process really has (AUTO: none yet), why it is
     * not the one asked for, and the real interval between samples of CPU time (0: not known). */
    _Atomic uint32_t sampling_clock;
    _Atomic uint32_t sampling_clock_refusal;
    _Atomic uint64_t sampling_interval_ns;
    /* What the process calls itself, terminated; "": only its program has a name. Changed in place,
     * so one that is read meanwhile may be half of each. */
    char title[ARENA_TITLE_BYTES];
    /* What the session's writers have produced, counted by them: blocks of chunks that they gave
     * back, and what was refused. Chunks in use come on top. */
    _Atomic uint64_t produced_blocks;
    _Atomic uint64_t produced_bytes;
    struct event_loan event_loan;
    struct group_table_header groups;
    /* What its environment says of the process, as PROFD_LABELS does, terminated; "": nothing. */
    char labels[ARENA_LABELS_BYTES];
    uint32_t labels_left_out; /* how many more it says, for which there is no room */
};

_Static_assert(sizeof(struct arena_header) <= ARENA_HEADER_BYTES, "the header fits its page");
_Static_assert(DROP_CAUSE_COUNT <= 32, "every cause has a counter");

/* Header page and dictionary, in units of a lease; the first is the header's. */
enum {
    ARENA_FRONT_UNITS =
        (ARENA_HEADER_BYTES + ARENA_DICTIONARY_BYTES + LEASE_UNIT_BYTES - 1) / LEASE_UNIT_BYTES,
    /* Room for the names of nearly as many threads as there can be at once, each renamed. */
    ARENA_SURE_FRONT_UNITS = 20,
};

/* Who pays for an arena's memory. */
struct arena_lease {
    struct lease_ledger *ledger; /* borrowed; NULL: nobody asks */
    lease_owner owner;
    _Atomic uint32_t units;       /* in use now */
    uint32_t front_units;         /* of them, for header and dictionary */
    _Atomic uint32_t group_units; /* of them, for groups */
};

/* What an arena has room for, in bytes; memory is taken as it is used. */
struct arena_room {
    uint64_t chunk_bytes;      /* rounded down to whole chunks */
    uint32_t dictionary_bytes; /* at most ARENA_DICTIONARY_BYTES; rounded down to pages */
    uint32_t group_bytes;      /* at most GROUP_TABLE_BYTES; rounded down to pages; 0: no groups */
};

/* A mapped arena, writer's side. */
struct arena {
    struct arena_header *header;
    uint8_t *dictionary;
    uint8_t *chunks;
    uint32_t dictionary_bytes; /* room */
    size_t mapped_bytes;
    int fd;       /* owned; close-on-exec */
    dev_t device; /* what fd was when it was made: a program may close any descriptor */
    ino_t inode;
    struct arena_lease lease;
};

/* Makes the arena of this process with room for CAPACITY_BYTES of chunks (rounded down to whole
 * ones), and for no groups: memfd, seals, a mapping that a forked child does not inherit and a core
 * dump leaves out. A file-size limit (RLIMIT_FSIZE) makes it smaller. -EINVAL below one chunk or
 * above ARENA_MAX_CHUNKS; -EFBIG when the limit leaves no room for one; other errors: those of
 * memfd_create, ftruncate, mmap. *OUT is destroyable in any case. header->process_start_ns is now;
 * who knows better corrects it. */
int arena_create(uint64_t capacity_bytes, struct arena *out);

/* The same with ROOM, and within a lease: no memory is touched before OWNER has a unit of LEDGER
 * (borrowed) for it. -ENOSPC when not even the header's can be had. */
int arena_create_leased(const struct arena_room *room, struct lease_ledger *ledger,
                        lease_owner owner, struct arena *out);

/* The arena in FD (the caller's) is of the process that its reader knows by these numbers: the
 * process itself has others in a pid namespace of its own. 0 or -errno. */
int arena_file_set_process(int fd, int32_t process_id, int32_t parent_process_id);

/* Takes a unit for memory that is about to be used. 0 with its number (0 without a ledger), or
 * -ENOSPC. Any thread. */
int arena_take_unit(struct arena *arena, uint32_t *unit);

/* Gives a unit back whose memory has gone back to the kernel. Any thread. */
void arena_give_back_unit(struct arena *arena, uint32_t unit);

/* The same for a unit that profd has given back already. Any thread. */
void arena_forget_unit(struct arena *arena);

/* Makes sure that the first BYTES of the dictionary may be used. Its first ARENA_SURE_FRONT_UNITS
 * come from the units of processes that start, when those that grow are taken: what chunks hold is
 * worth nothing without the names of its threads. 0 or -ENOSPC. Under the
 * dictionary's lock. */
int arena_lease_dictionary(struct arena *arena, uint64_t bytes);

/* Makes sure that the first BYTES of the groups may be used: at most GROUP_TABLE_LIMIT_SHARE of the
 * limit. 0 or -ENOSPC. One thread at a time. */
int arena_lease_groups(struct arena *arena, uint64_t bytes);

/* Gives ARENA another file, with the same contents at the same addresses; who has the old one keeps
 * that, but for its chunks, which move: no memory is taken twice. Nobody is recording. 0; -EFBIG
 * when the process may not have so long a file; or -errno: then chunks may be missing. */
int arena_replace_file(struct arena *arena);

/* Unmaps and closes; units stay with the owner, since others may hold the file. Safe on a zeroed
 * struct with fd -1. */
void arena_destroy(struct arena *arena);

/* The same for one whose file nobody else has: its units are free for others once its memory is. */
void arena_discard(struct arena *arena);

/* As arena_destroy() in a child after fork, which has the descriptor but no mapping: what is mapped
 * at those addresses now is another's. */
void arena_abandon(struct arena *arena);

/* Whether arena->fd still is the arena, and not closed or some file of the program's. */
bool arena_owns_fd(const struct arena *arena);

/* Chunk in slot INDEX, which is below header->chunk_count. */
static inline struct chunk *arena_chunk(const struct arena *arena, uint32_t index)
{
    return (struct chunk *)(void *)(arena->chunks + (size_t)index * CHUNK_BYTES);
}

/* Records a fresh clock pair as the latest. Any thread; where two are at it, one of them does. */
void arena_update_clock(struct arena *arena);

/* Begins the account of blocks anew: a session's is its own. Nobody is recording. */
void arena_begin_account(struct arena *arena);

/* Adds COUNT events to a cause. Any thread; safe in a signal handler. */
static inline void arena_count_drop(struct arena *arena, enum drop_cause cause, uint64_t count)
{
    atomic_fetch_add_explicit(&arena->header->drops[cause], count, memory_order_relaxed);
}

/* Adds COUNT blocks of BYTES in all to what was produced. Any thread; safe in a signal handler. */
static inline void arena_count_produced_blocks(struct arena_header *header, uint64_t count,
                                               uint64_t bytes)
{
    atomic_fetch_add_explicit(&header->produced_blocks, count, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->produced_bytes, bytes, memory_order_relaxed);
}

/* Adds COUNT blocks of BYTES in all to a cause. Any thread; safe in a signal handler. */
static inline void arena_count_dropped_blocks(struct arena_header *header, enum drop_cause cause,
                                              uint64_t count, uint64_t bytes)
{
    atomic_fetch_add_explicit(&header->drops[cause], count, memory_order_relaxed);
    atomic_fetch_add_explicit(&header->drop_bytes[cause], bytes, memory_order_relaxed);
}

/* A block of BYTES is produced and dropped at once. Any thread; safe in a signal handler. A reader
 * who comes in between finds no block missing. */
static inline void arena_count_refused_block(struct arena_header *header, enum drop_cause cause,
                                             uint64_t bytes)
{
    arena_count_dropped_blocks(header, cause, 1, bytes);
    arena_count_produced_blocks(header, 1, bytes);
}

/* CHUNK, which its writer gives back or has left by its end, holds what was produced. */
static inline void arena_count_closed_chunk(struct arena_header *header, const struct chunk *chunk)
{
    arena_count_produced_blocks(
        header, atomic_load_explicit(&chunk->block_count, memory_order_relaxed),
        atomic_load_explicit(&chunk->offset_past_last_block, memory_order_relaxed));
}

/* The same for all blocks of CHUNK, which is about to lose its memory. */
static inline void arena_count_recycled_chunk(struct arena_header *header,
                                              const struct chunk *chunk)
{
    arena_count_dropped_blocks(
        header, DROP_RECYCLED, atomic_load_explicit(&chunk->block_count, memory_order_relaxed),
        atomic_load_explicit(&chunk->offset_past_last_block, memory_order_relaxed));
}

#endif
