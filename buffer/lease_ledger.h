/* The ledger of leases: which process may use how much of the one memory limit.
 *
 * The limit is divided into units of a chunk's size. A unit has at most one owner; what an owner
 * owns is its lease. The ledger is memory that profd and all agents share. Taking a unit is one
 * compare-and-swap, so the leases never add up to more than the limit, even if processes are
 * stopped, slow, restarted or killed at any instant, and no process waits for an answer.
 *
 *     header │ session board │ census ring │ startup units: one in eight │ growth units
 *
 * A process takes its first units from the startup units, where growing processes may not take any,
 * so a busy process cannot keep a new one from recording. Any thread of any process may use the
 * ledger; nothing blocks or allocates except create and open. A process may have overwritten the
 * ledger by accident, so every number is checked; at worst, units are missing. */
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
    /* The least that a process needs to record: its dictionary, and one chunk. */
    LEASE_STARTUP_UNITS = 2,
};

/* An owner: one image of one process, or LEASE_OWNER_EXITS. The upper bits are the pid as the
 * process itself sees it (22 bits, as in the kernel; 0 is nobody), so that profd can recognize
 * owners that died silently. Below it is the time when the image began, in units that are shorter
 * than any exec. The lowest bit says that the pid is of another namespace than profd's and means
 * nothing to profd. */
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

/* Returns whether A is the later of two images of one process that began within a hundred days of
 * each other. */
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

/* Fields appended to the header are 0 in older ledgers and need no new version. */
struct lease_ledger_header {
    uint64_t magic;
    uint32_t version;
    _Atomic uint32_t protocol_minor; /* what its profd understands (ipc/protocol_version.h) */
    uint64_t identity;               /* of this ledger; unique */
    char boot[40];                   /* boot id of the system, since owners are process ids */
    uint64_t pid_namespace;          /* of the owners, except for foreign ones */
    _Atomic uint32_t limit_count;    /* the limit */
    _Atomic uint32_t unit_count;     /* units that may be taken; lower than the limit while units
                                      * beyond have owners from before the limit was lowered */
    _Atomic uint32_t startup_count;  /* of these, the startup units in front */
    _Atomic uint32_t highest_count;  /* the highest limit ever; units beyond were never owned */
    _Atomic uint32_t next;           /* a hint where to start the search among the growth units */
    _Atomic uint32_t maybe_free;     /* roughly how many growth units are free at most: a hint that
                                      * saves a search, corrected by lease_ledger_recount() */
    _Atomic uint32_t is_over;        /* profd ended properly; nobody will ever read the
                                      * recordings */
    _Atomic uint32_t ended_count; /* ended processes that profd keeps; what is known about them is
                                   * lost if it is killed */
    /* For processes with one thread, in which nobody waits for messages; see session_word.h. */
    _Atomic uint32_t may_be_alone; /* such processes need no agent thread */
    _Atomic uint64_t session_word;
    _Atomic uint32_t arena_losses; /* how often a profd took over and lacked arenas that its
                                    * predecessor had */
    _Atomic int32_t profd_pid;     /* in profd's own namespace */
    _Atomic uint32_t group_needs;  /* enum group_needs: the performance groups that clients
                                    * request */
    _Atomic uint32_t tsc;          /* enum tsc_knowledge; finding it out takes longer than
                                    * recording */
    /* profd has ended and left all this to its successor, which must start before this time
     * (CLOCK_MONOTONIC). 0: profd is running, or was killed. */
    _Atomic uint64_t left_until_ns;
};

_Static_assert(sizeof(struct lease_ledger_header) <= LEASE_LEDGER_HEADER_BYTES, "one page");
_Static_assert(sizeof(struct session_board) <= LEASE_LEDGER_BOARD_BYTES, "two pages");

/* What clients request of performance groups (buffer/group_table.h). */
enum group_needs {
    GROUP_NEED_GROUPS = 1,  /* iterations: their number and wall-clock time */
    GROUP_NEED_UNITS = 2,   /* also groups that contain a single unit */
    GROUP_NEED_CPU = 4,     /* CPU time, and jank in CPU time */
    GROUP_NEED_BLOCKED = 8, /* time in calls to other processes */
    GROUP_NEEDS_USUAL = GROUP_NEED_GROUPS | GROUP_NEED_CPU | GROUP_NEED_BLOCKED,
    GROUP_NEEDS_ALL = GROUP_NEEDS_USUAL | GROUP_NEED_UNITS,
};

/* A mapped ledger. */
struct lease_ledger {
    struct lease_ledger_header *header; /* NULL: none */
    /* These two are unrelated to leases; they share the file because every process knows it. */
    struct session_board *board;
    struct census_ring *ring;
    _Atomic uint64_t *owners;
    uint32_t mapped_units; /* units beyond are not visible and not taken */
    size_t mapped_bytes;
    int fd; /* borrowed, for lease_ledger_set_limit() */
    /* profd's process id in the namespace of the process that opened the file by its path. 0: not
     * known, for instance because profd is not visible there. */
    int32_t seen_profd_pid;
};

/* Makes FD, an empty file or memfd, a ledger for LIMIT_BYTES (rounded down to units) and maps it.
 * FD stays the caller's and must remain open for as long as limits are set. All units are mapped;
 * disk space is reserved for those that the limit allows to use. Returns 0; -EINVAL if the limit is
 * below LEASE_LEDGER_MIN_UNITS or above LEASE_LEDGER_MAX_UNITS, or an error of ftruncate, fallocate
 * or mmap. */
int lease_ledger_create(int fd, uint64_t identity, uint64_t limit_bytes, struct lease_ledger *out);

/* Maps an existing ledger of a profd that was killed while its agents live on. Otherwise like
 * lease_ledger_create(). Returns -EPROTO if FD is not a ledger. */
int lease_ledger_adopt(int fd, struct lease_ledger *out);

/* Maps the ledger in FD, which stays the caller's. Maps the units of the highest limit that the
 * ledger has ever had, but at most MOST_UNITS. Returns 0, -EPROTO if FD is not a ledger, or an
 * error of pread or mmap. */
int lease_ledger_open(int fd, uint32_t most_units, struct lease_ledger *out);

/* Returns whether FD is the file of LEDGER. */
bool lease_ledger_is_in(const struct lease_ledger *ledger, int fd);

/* Returns whether nobody will ever read the recordings: profd ended properly, or it left and no
 * other profd came in time. Any thread; async-signal-safe. */
bool lease_ledger_has_ended(const struct lease_ledger *ledger);

/* Unmaps LEDGER. Safe on a zeroed struct, and when called again. */
void lease_ledger_close(struct lease_ledger *ledger);

/* Sets a new limit. Owners keep their units; if these exceed the limit, no more units are given
 * out until they fit. For profd, which maps all units. Returns 0 or an error as
 * lease_ledger_create(). */
int lease_ledger_set_limit(struct lease_ledger *ledger, uint64_t limit_bytes);

/* Returns the limit in bytes. */
uint64_t lease_ledger_limit_bytes(const struct lease_ledger *ledger);

enum lease_purpose {
    LEASE_TO_START, /* an owner's first LEASE_STARTUP_UNITS and those of a dictionary; may also use
                     * the startup units */
    LEASE_TO_GROW,
};

/* Takes one unit for OWNER. Returns 0 with its number, or -ENOSPC. */
int lease_take(struct lease_ledger *ledger, lease_owner owner, enum lease_purpose purpose,
               uint32_t *unit);

/* Gives back UNIT of OWNER. A unit that is not OWNER's is left alone. */
void lease_give_back(struct lease_ledger *ledger, lease_owner owner, uint32_t unit);

/* --- For profd --- */

/* Returns how many units OWNER has. */
uint32_t lease_count(const struct lease_ledger *ledger, lease_owner owner);

/* Moves up to COUNT units from FROM to TO (LEASE_OWNER_NOBODY frees them) and returns how many
 * were moved. FROM must be dead or the caller itself: nobody may be taking or giving back units
 * for it. */
uint32_t lease_move(struct lease_ledger *ledger, lease_owner from, lease_owner to, uint32_t count);

/* Corrects the hints and the number of units that may be taken. Returns how many units are taken.
 * *GROWTH_FREE (may be NULL) is the number of free growth units. */
uint32_t lease_ledger_recount(struct lease_ledger *ledger, uint32_t *growth_free);

/* Calls VISIT once for each unit that has an owner. */
void lease_ledger_visit(const struct lease_ledger *ledger,
                        void (*visit)(lease_owner owner, uint32_t unit, void *context),
                        void *context);

#endif
