/* The census ring: how agents tell profd about processes without sending a message.
 *
 * It is memory that profd and all agents share, inside the lease ledger's file. A process that runs
 * a program reports it here, since that program may never say hello; a parent that waited for a
 * child reports how the child ended; and a process that has nothing to record yet reports only that
 * it exists. This takes no message and no descriptor, so it works between vfork and exec, in a
 * signal handler, and in a process that ends at once. Entries wait for a profd that is busy or
 * stopped, or that was killed and is started again. If profd reads too late, entries are dropped
 * and counted.
 *
 * Any thread of any process may put entries; only profd takes them. Nothing blocks. A process that
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
    CENSUS_FAILED = 2,  /* the previous CENSUS_EXEC of PID failed */
    CENSUS_ENDED = 3,   /* PID has ended and was waited for */
    CENSUS_PRESENT = 4, /* PID runs PATH and is ready to record, but has nothing to report yet; or
                         * has an obstacle, and will say no more */
    CENSUS_WOKEN = 5,   /* PID, which was PRESENT, now records, and has not said hello yet */
    CENSUS_WISH = 6,    /* PID wants another perf event (buffer/event_loan.h) */
    CENSUS_FOREIGN_EXEC = 7, /* not for profd: the process with the number -PID in the pid namespace
                              * PARENT_PID (the lower half of its id) becomes another program, which
                              * reads what its clock showed then */
    CENSUS_LEAVING = 8, /* PID, which was PRESENT, is about to end, and maybe nobody who waits for
                         * it reports that; its clock shows CPU_NS */
    CENSUS_FOREIGN_ENDED = 9, /* a process of another pid namespace than profd's, which IDENTITY
                               * tells from all others, has ended and was waited for */
};

/* One entry. Times are CLOCK_MONOTONIC ns. */
struct census_entry {
    _Atomic uint64_t number; /* number of the entry, starting at 1; stored last */
    uint64_t time_ns;        /* 0: not told */
    uint64_t cpu_ns;         /* CPU time by the process's clock, so far or in total; or
                              * PROCESS_CLOCK_UNKNOWN */
    union {
        struct {
            int32_t pid, parent_pid;
        };
        uint64_t identity; /* of CENSUS_FOREIGN_ENDED: common/pidfd.h */
    };
    union {
        int32_t wait_status; /* of CENSUS_ENDED */
        uint32_t generation; /* the session that a present or woken process belongs to; 0: not told
                              */
    };
    uint32_t kind;
    uint32_t obstacle; /* as in a hello */
    union {
        /* A present process was forked and still runs its parent's program. */
        uint32_t is_fork;
        uint32_t is_awaited; /* CENSUS_EXEC: whoever waits for PID has an agent */
    };
    /* Terminated. If the path was too long, its beginning is missing. In an entry of a present
     * process the command line follows, as far as there is room. */
    char path[CENSUS_PATH_BYTES];
};

_Static_assert(sizeof(struct census_entry) == 256, "a power of two");

struct census_ring {
    union {
        struct {
            _Atomic uint64_t put;   /* entries that were begun */
            _Atomic uint64_t taken; /* of these, how many profd has taken */
            _Atomic uint64_t lost;  /* entries that were not begun because there was no room, and
                                     * reports that could not be made in another way */
        };
        uint8_t header[CENSUS_RING_HEADER_BYTES];
    };
    struct census_entry entries[CENSUS_RING_ENTRIES];
};

/* Puts ENTRY into the ring, or counts it as lost. The number in ENTRY is ignored. */
void census_ring_put(struct census_ring *ring, const struct census_entry *entry);

/* Like census_ring_put(), for an entry that can also be reported in another way. Returns true if it
 * was put, or false, with nothing put, if at least half of the ring is unread. */
bool census_ring_put_if_roomy(struct census_ring *ring, const struct census_entry *entry);

/* Sets the path of ENTRY to PATH. If PATH is too long, only its end is kept. */
void census_ring_set_path(struct census_entry *entry, const char *path);

/* Sets the command line, BYTES long with NULs between its arguments, after the path. As much of it
 * is stored as there is room for, but never less than the whole first argument. */
void census_ring_set_command_line(struct census_entry *entry, const char *command_line,
                                  size_t bytes);

/* Returns the command line of an entry whose path is terminated, and its length in *BYTES; a length
 * of 0 means that the entry has none. Empty arguments at the end are left out. */
const char *census_ring_command_line(const struct census_entry *entry, size_t *bytes);

/* Returns what PID's CPU clock showed when PID reported the program that it runs by now; and
 * whether that said that it is awaited, in *IS_AWAITED. Looks at the newest entries, read or
 * unread. Returns PROCESS_CLOCK_UNKNOWN if none of them says so. */
uint64_t census_ring_clock_at_exec(const struct census_ring *ring, int32_t pid, bool *is_awaited);

/* The same of a process whose PID is of the pid namespace with the id PID_NAMESPACE rather than of
 * profd's. */
uint64_t census_ring_clock_at_foreign_exec(const struct census_ring *ring, int32_t pid,
                                           uint64_t pid_namespace);

/* Returns the entry for that: the process, whose clock shows CPU_NS, is about to become another
 * program. */
struct census_entry census_ring_foreign_exec(int32_t pid, uint64_t pid_namespace, uint64_t cpu_ns);

/* Counts what could not be told at all as a lost entry. */
void census_ring_count_lost(struct census_ring *ring);

/* Takes the oldest entry. Returns true with *OUT, whose path is terminated; false if there is no
 * entry, or if the oldest one is still being written. */
bool census_ring_take(struct census_ring *ring, struct census_entry *out);

/* Copies the entries that were taken and not yet overwritten, oldest first, to OUT, which has room
 * for CENSUS_RING_ENTRIES. These are the entries that a killed profd had read. Returns their
 * number. */
size_t census_ring_recall(const struct census_ring *ring, struct census_entry *out);

/* Returns the number of the oldest entry if it is still being written, else 0. Its writer either
 * needs another moment or has died. */
uint64_t census_ring_unfinished(const struct census_ring *ring);

/* Gives up the oldest entry and counts it as lost. */
void census_ring_skip(struct census_ring *ring);

/* Returns how many entries have been lost since the last call. */
uint64_t census_ring_take_lost(struct census_ring *ring);

#endif
