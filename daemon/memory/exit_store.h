/* The exit store: the recordings of ended processes, side by side in one memory file.
 *
 * A process leaves its arena behind, however it ends. A worker thread moves the arena here piece by
 * piece, so that nothing is in memory twice, and then closes it. So an exit costs the process
 * itself nothing, and profd only two descriptors for all of them.
 *
 * The memory is accounted for in the lease ledger, like everybody's (see exit_lease.h). The chunks
 * of each record age in the memory controller together with those of living processes; when the
 * last one has been dropped, the profile has expired. Loop thread, except for the moving. */
#ifndef PROFD_DAEMON_EXIT_STORE_H
#define PROFD_DAEMON_EXIT_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "buffer/block_account.h"
#include "daemon/memory/exit_lease.h"
#include "daemon/memory/memory_controller.h"

enum {
    /* At once; the other arenas wait, each with the descriptor that profd has for it anyway. */
    EXIT_STORE_MOVERS = 2,
};

/* One process's part of the file. */
struct exit_record {
    uint64_t offset, bytes; /* in the file; a valid arena of its own */
    uint64_t memory_bytes;  /* of them, not holes */
    void *owner;
    struct memory_source source; /* its chunks by age */
    struct exit_record *previous, *next;
};

struct exit_file; /* see exit_file.h */
struct exit_move;

struct exit_store {
    uv_loop_t *loop;
    struct exit_lease lease;              /* its ledger may be closed before the store is */
    struct memory_controller *controller; /* borrowed */
    struct exit_file *file;               /* NULL until the first record */
    uint64_t memory_bytes;
    unsigned records; /* kept */
    unsigned moving;  /* under way */
    struct exit_move *first_waiting, *last_waiting;
    uint64_t expired_records, failed_records;
    struct exit_record *first;
    /* The last chunk of OWNER's record has been dropped; the record is freed after this call.
     * ACCOUNT is what the process had produced, and what has been dropped of that. */
    void (*on_expired)(void *owner, const struct block_account *account);
};

void exit_store_init(struct exit_store *store, uv_loop_t *loop, struct lease_ledger *ledger,
                     struct memory_controller *controller,
                     void (*on_expired)(void *owner, const struct block_account *account));

/* Moves the arena ARENA_FD, which is taken over on every path, of a process that held LEASE and
 * ended at END_NS. ON_KEPT is called once, from the loop and never from inside this call, with the
 * record, which the store owns, or with NULL and the ERROR. Returns 0, or a negative errno: then
 * nothing was begun, ON_KEPT is not called, and the caller frees what is left of the lease. */
typedef void (*exit_store_on_kept)(struct exit_record *record, int error, void *owner);
int exit_store_keep(struct exit_store *store, int arena_fd, lease_owner lease, uint64_t end_ns,
                    exit_store_on_kept on_kept, void *owner);

/* The file that holds the records, borrowed; -1: there is none. It is read-only: a record may take
 * control of the process that reads it, which must not be able to change the others. */
int exit_store_fd(const struct exit_store *store);

/* What it really takes, as the kernel counts. */
uint64_t exit_store_kernel_bytes(const struct exit_store *store);

/* Counts chunk SLOT of SOURCE, a record's, as dropped and frees its memory; the memory controller
 * chose it. The record may have been freed after this. */
void exit_store_drop(struct exit_store *store, struct memory_source *source, uint32_t slot);

/* Adjusts the lease after drops. */
void exit_store_settle(struct exit_store *store);

/* Sets whether RECORD is held: while a capture reads it, none of its chunks is dropped. */
void exit_store_hold(struct exit_store *store, struct exit_record *record, bool is_held);

/* Frees all records without calling on_expired, since a new session begins. Moves under way end
 * with -ECANCELED. */
void exit_store_clear(struct exit_store *store);

/* Frees the store; no move may be under way. */
void exit_store_destroy(struct exit_store *store);

#endif
