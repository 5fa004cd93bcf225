/* The census ring: what agents tell profd about processes without a message.
 *
 * Memory that profd and all agents share, inside the lease ledger's file. A process that runs a
 * program reports it here, since that program may never say hello; a parent that waited for a child
 * reports how it ended; and a process that has nothing to record yet only reports that it exists.
 * This takes no message and no descriptor: it works between vfork and exec, in a signal handler,
 * and for a process that ends at once. Entries wait for a profd that is busy or stopped, or was
 * killed and is started again. If profd reads too late, entries are dropped and counted.
 *
 * Putting is for any thread of any process, taking for profd alone. Nothing blocks. A process that
 * writes here by accident can at worst make entries wrong. */
#ifndef PROFD_BUFFER_CENSUS_RING_H
#define PROFD_BUFFER_CENSUS_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CENSUS_RING_ENTRIES = 4096,
    CENSUS_RING_HEADER_BYTES = 4096,
    CENSUS_PATH_BYTES = 208,
};

enum census_kind {
    CENSUS_EXEC = 1,    /* PID is about to run PATH, which may have an obstacle to being profiled */
    CENSUS_FAILED = 2,  /* and could not */
    CENSUS_ENDED = 3,   /* PID was waited for */
    CENSUS_PRESENT = 4, /* PID runs PATH and is ready to record, but has nothing to report yet */
    CENSUS_WOKEN = 5,   /* PID, which was PRESENT, now records, and has not said hello yet */
    CENSUS_WISH = 6,    /* PID wants another perf event (buffer/event_loan.h) */
};

/* CLOCK_MONOTONIC ns. */
struct census_entry {
    _Atomic uint64_t number; /* of the entry, from 1; stored last */
    uint64_t time_ns;
    uint64_t cpu_ns; /* by its own clock: in total if it ended, until now if it runs a program; or
                        PROCESS_CLOCK_UNKNOWN */
    int32_t pid, parent_pid;
    union {
        int32_t wait_status; /* of an ended one */
        uint32_t generation; /* the session that a present or woken one belongs to; 0: not told */
    };
    uint32_t kind;
    uint32_t obstacle; /* as in a hello */
    uint32_t is_fork;  /* a present one was made by fork, and runs its parent's program */
    /* Terminated; a longer one has lost its beginning. Behind it, of a present one: its command
     * line, as far as there is room. */
    char path[CENSUS_PATH_BYTES];
};

_Static_assert(sizeof(struct census_entry) == 256, "a power of two");

struct census_ring {
    union {
        struct {
            _Atomic uint64_t put;   /* entries begun */
            _Atomic uint64_t taken; /* of them, by profd */
            _Atomic uint64_t lost;  /* not begun: there was no room */
        };
        uint8_t header[CENSUS_RING_HEADER_BYTES];
    };
    struct census_entry entries[CENSUS_RING_ENTRIES];
};

/* Puts ENTRY (its number is not looked at), or counts it as lost. */
void census_ring_put(struct census_ring *ring, const struct census_entry *entry);

/* The same for an entry that can be told in another way when much is unread: true when it was put,
 * false when at least half of the entries are taken. */
bool census_ring_put_if_roomy(struct census_ring *ring, const struct census_entry *entry);

/* PATH, its end when it is too long, as an entry's. */
void census_ring_set_path(struct census_entry *entry, const char *path);

/* Sets the command line, BYTES with NULs between its arguments, after the path: as much of it as
 * there is room for, but not less than the first argument. */
void census_ring_set_command_line(struct census_entry *entry, const char *command_line,
                                  size_t bytes);

/* The command line of an entry whose path is terminated; 0 bytes: it tells none. Arguments at the
 * end that are empty are not told. */
const char *census_ring_command_line(const struct census_entry *entry, size_t *bytes);

/* What the clock of PID had said when it told of the program that it has become since, as one of
 * the newest entries says, unread or not; PROCESS_CLOCK_UNKNOWN when none does. */
uint64_t census_ring_clock_at_exec(const struct census_ring *ring, int32_t pid);

/* Takes the oldest entry. True with *OUT, whose path is terminated; false when there is none, or
 * when it is still being written. */
bool census_ring_take(struct census_ring *ring, struct census_entry *out);

/* Copies the entries that were taken and have not been overwritten, oldest first, to OUT, which has
 * room for CENSUS_RING_ENTRIES: what a profd that was killed had read. Returns how many. */
size_t census_ring_recall(const struct census_ring *ring, struct census_entry *out);

/* The number of the oldest entry when it is still being written, else 0. Who writes needs a moment,
 * or has died over it. */
uint64_t census_ring_unfinished(const struct census_ring *ring);

/* Gives up the oldest entry, which counts as lost. */
void census_ring_skip(struct census_ring *ring);

/* How many entries were lost since this was last asked. */
uint64_t census_ring_take_lost(struct census_ring *ring);

#endif
