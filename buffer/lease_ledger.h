/* The ledger of leases: who may use how much of the one memory limit.
 *
 * The limit is cut into units of a chunk's size. A unit has at most one owner, and what an owner
 * owns is its lease. The ledger is memory that profd and all agents share: taking a unit is one
 * compare-and-swap, so the leases never add up to more than the limit, even if processes are
 * stopped, slow, restarted or killed at any instant, and no process waits for an answer.
 *
 *     header │ session board │ census ring │ startup units: one in eight │ growth units
 *
 * A process takes its first units from the front, where those that grow may not go: a busy process
 * cannot keep a new one from recording. Any thread of any process; nothing here blocks or allocates
 * but open and create. What stands in the ledger may be wrong when a process wrote into it by
 * accident: every number is checked, and the worst is that units are missing. */
#ifndef PROFD_BUFFER_LEASE_LEDGER_H
#define PROFD_BUFFER_LEASE_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffer/census_ring.h"
#include "buffer/chunk.h"
#include "buffer/session_board.h"

#define LEASE_LEDGER_MAGIC 0x4C46525052444750ULL

enum {
    LEASE_LEDGER_VERSION = 7,
    LEASE_UNIT_BYTES = CHUNK_BYTES,
    LEASE_LEDGER_HEADER_BYTES = 4096,
    LEASE_LEDGER_BOARD_BYTES = 2 * 4096,
    LEASE_LEDGER_RING_OFFSET = LEASE_LEDGER_HEADER_BYTES + LEASE_LEDGER_BOARD_BYTES,
    LEASE_LEDGER_UNITS_OFFSET = LEASE_LEDGER_RING_OFFSET + sizeof(struct census_ring),
    LEASE_LEDGER_MAX_UNITS = 1024 * 1024, /* 64 GB */
    LEASE_LEDGER_MIN_UNITS = 16,
    /* What a process needs to record at all: its dictionary, and one chunk. */
    LEASE_STARTUP_UNITS = 2,
};

/* One image of one process, or LEASE_OWNER_EXITS. The pid (as the process itself sees it; of 22
 * bits, as the kernel's are) is on top, so that profd can tell owners that died without a word; 0
 * is nobody. Below it is when the image began, in units that no exec is short enough for. The
 * lowest bit says that the pid is of another namespace than profd's and tells profd nothing. */
typedef uint64_t lease_owner;
#define LEASE_OWNER_NOBODY ((lease_owner)0)
#define LEASE_OWNER_EXITS  ((lease_owner)1) /* profd's exit store */

enum { LEASE_OWNER_PID_SHIFT = 42, LEASE_OWNER_START_SHIFT = 14 };

static inline lease_owner lease_owner_make(pid_t pid, uint64_t image_start_ns, bool is_foreign)
{
    uint64_t start = (image_start_ns >> LEASE_OWNER_START_SHIFT) << 2;
    return (uint64_t)(uint32_t)pid << LEASE_OWNER_PID_SHIFT |
           (start & ((UINT64_C(1) << LEASE_OWNER_PID_SHIFT) - 1)) | 2 | is_foreign;
}

/* True when A is the later image of two of one process that followed within a hundred days. */
static inline bool lease_owner_is_later(lease_owner a, lease_owner b)
{
    const unsigned unused = 64 - LEASE_OWNER_PID_SHIFT;
    return (int64_t)((a << unused) - (b << unused)) > 0;
}

static inline bool lease_owner_is_foreign(lease_owner owner)
{
    return (owner & 1) != 0;
}

static inline pid_t lease_owner_pid(lease_owner owner)
{
    return (pid_t)(owner >> LEASE_OWNER_PID_SHIFT);
}

/* What is appended to it is 0 in ledgers of before, and needs no other version. */
struct lease_ledger_header {
    uint64_t magic;
    uint32_t version;
    _Atomic uint32_t protocol_minor; /* ipc/protocol_version.h: what its profd understands */
    uint64_t identity;               /* of this ledger; no two are alike */
    char boot[40];                   /* of the system: owners are process ids */
    uint64_t pid_namespace;          /* that they are of, but for foreign ones */
    _Atomic uint32_t limit_count;    /* the limit */
    _Atomic uint32_t unit_count;     /* that may be taken: less than the limit for as long as units
                                      * behind it have owners, from before it was lowered */
    _Atomic uint32_t startup_count;  /* of them, in front */
    _Atomic uint32_t highest_count;  /* that the limit ever was: units beyond were never owned */
    _Atomic uint32_t next;           /* where to look first among the growth units: a hint */
    _Atomic uint32_t maybe_free;     /* at most roughly so many growth units are free: a hint that
                                      * spares a search, put right by lease_ledger_recount() */
    _Atomic uint32_t is_over;        /* profd ended in good order: nobody will ever ask again */
    _Atomic uint32_t ended_count; /* processes that profd keeps, but that have ended: what is known
                                   * of them goes with it if it is killed */
    /* For processes of one thread, in which nobody waits for messages; see session_word.h. */
    _Atomic uint32_t may_be_alone; /* they need no thread that would */
    _Atomic uint64_t session_word;
    _Atomic uint32_t arena_losses; /* a profd that went on had not what others had been given */
    _Atomic int32_t profd_pid;     /* in its own namespace */
    _Atomic uint32_t group_needs;  /* enum group_needs; performance groups that clients ask for */
    _Atomic uint32_t tsc;          /* enum tsc_knowledge: to find out takes longer than to record */
    /* profd has left all this to the one that is started next, until then on CLOCK_MONOTONIC; 0:
     * profd is here, or was killed. */
    _Atomic uint64_t left_until_ns;
};

_Static_assert(sizeof(struct lease_ledger_header) <= LEASE_LEDGER_HEADER_BYTES, "one page");
_Static_assert(sizeof(struct session_board) <= LEASE_LEDGER_BOARD_BYTES, "two pages");

/* What is asked for of performance groups (buffer/group_table.h). */
enum group_needs {
    GROUP_NEED_GROUPS = 1,  /* iterations: how many, and how long on the wall */
    GROUP_NEED_UNITS = 2,   /* groups that hold a single unit, too */
    GROUP_NEED_CPU = 4,     /* CPU time, and jank by it */
    GROUP_NEED_BLOCKED = 8, /* time in calls to other processes */
    GROUP_NEEDS_USUAL = GROUP_NEED_GROUPS | GROUP_NEED_CPU | GROUP_NEED_BLOCKED,
    GROUP_NEEDS_ALL = GROUP_NEEDS_USUAL | GROUP_NEED_UNITS,
};

/* A mapped ledger. */
struct lease_ledger {
    struct lease_ledger_header *header; /* NULL: none */
    /* These two have nothing to do with leases but the file, which all know. */
    struct session_board *board;
    struct census_ring *ring;
    _Atomic uint64_t *owners;
    uint32_t mapped_units; /* those beyond are out of sight, and not taken */
    size_t mapped_bytes;
    int fd; /* the caller's, for lease_ledger_set_limit() */
    /* profd's process id in the namespace of the process that opened the file by its path; 0: not
     * known, for instance since profd is not visible there. */
    int32_t seen_profd_pid;
};

/* Makes FD, an empty file or memfd, a ledger for LIMIT_BYTES (rounded down to units) and maps it.
 * FD stays the caller's, and open for as long as limits are set. -EINVAL when the limit is below
 * LEASE_LEDGER_MIN_UNITS or above LEASE_LEDGER_MAX_UNITS; else the errors of ftruncate, fallocate
 * and mmap. All units are mapped; what the limit allows to touch has its place on the disk. */
int lease_ledger_create(int fd, uint64_t identity, uint64_t limit_bytes, struct lease_ledger *out);

/* The same for a ledger that is there already: of a profd that was killed, whose agents live on.
 * -EPROTO when it is none. */
int lease_ledger_adopt(int fd, struct lease_ledger *out);

/* Maps the ledger in FD, which stays the caller's, with the units of the highest limit that it has
 * had, but at most MOST_UNITS. -EPROTO when it is none; else the errors of pread and mmap. */
int lease_ledger_open(int fd, uint32_t most_units, struct lease_ledger *out);

/* Whether FD is of LEDGER. */
bool lease_ledger_is_in(const struct lease_ledger *ledger, int fd);

/* Whether nobody will ever ask for what is recorded: profd ended in good order, or left, and no
 * other one came in time. Any thread, safe in a signal handler. */
bool lease_ledger_has_ended(const struct lease_ledger *ledger);

/* Safe on a zeroed struct, and to repeat. */
void lease_ledger_close(struct lease_ledger *ledger);

/* A new limit. Owners keep what they have; nothing more is to be had until what is owned fits.
 * Errors as lease_ledger_create(). For profd, which maps all units. */
int lease_ledger_set_limit(struct lease_ledger *ledger, uint64_t limit_bytes);

/* The limit, in bytes. */
uint64_t lease_ledger_limit_bytes(const struct lease_ledger *ledger);

enum lease_purpose {
    LEASE_TO_START, /* an owner's first LEASE_STARTUP_UNITS, and those of a dictionary: from
                     * the front too */
    LEASE_TO_GROW,
};

/* Takes one unit for OWNER. 0 with its number, or -ENOSPC. */
int lease_take(struct lease_ledger *ledger, lease_owner owner, enum lease_purpose purpose,
               uint32_t *unit);

/* Gives UNIT back, which OWNER has. What is not OWNER's is left alone. */
void lease_give_back(struct lease_ledger *ledger, lease_owner owner, uint32_t unit);

/* --- For profd --- */

/* How many units OWNER has. */
uint32_t lease_count(const struct lease_ledger *ledger, lease_owner owner);

/* Makes up to COUNT of FROM's units TO's (LEASE_OWNER_NOBODY frees them); returns how many. FROM is
 * dead, or the caller itself: nobody may be taking or giving back for it. */
uint32_t lease_move(struct lease_ledger *ledger, lease_owner from, lease_owner to, uint32_t count);

/* Puts the hints right, and what may be taken. Returns how many units are taken; *GROWTH_FREE (may
 * be NULL) are free to grow. */
uint32_t lease_ledger_recount(struct lease_ledger *ledger, uint32_t *growth_free);

/* Calls VISIT with every owner but nobody, once for each unit. */
void lease_ledger_visit(const struct lease_ledger *ledger,
                        void (*visit)(lease_owner owner, uint32_t unit, void *context),
                        void *context);

#endif
