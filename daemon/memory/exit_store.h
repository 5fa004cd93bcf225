/* The exit store: what processes that ended had recorded, side by side in one file of memory.
 *
 * A process that ends in whatever way leaves its arena behind. It is moved here on a worker thread,
 * piece by piece, so that nothing is in memory twice; the agent's own arena is closed. So an exit
 * costs the dying process nothing, and profd two descriptors for all of them.
 *
 * The memory is paid for in the lease ledger, as everybody's is: what the dead process had leased
 * becomes LEASE_OWNER_EXITS's before the move, and what the copy does not need is freed after it.
 * Each record's chunks age in the memory controller with those of the living; when its last one has
 * gone, the profile has expired. Loop thread, but for the moving. */
#ifndef PROFD_DAEMON_EXIT_STORE_H
#define PROFD_DAEMON_EXIT_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "buffer/block_account.h"
#include "daemon/memory/exit_lease.h"
#include "daemon/memory/memory_controller.h"

enum {
    /* At once; the others wait, each with the descriptor that it had anyway. */
    EXIT_STORE_MOVERS = 2,
};

/* One process's part of the file. */
struct exit_record {
    uint64_t offset, bytes; /* in the file; a valid arena by itself */
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
    /* The last chunk of OWNER's record has gone; the record is freed after this. ACCOUNT is what it
     * had produced, and dropped by now. */
    void (*on_expired)(void *owner, const struct block_account *account);
};

void exit_store_init(struct exit_store *store, uv_loop_t *loop, struct lease_ledger *ledger,
                     struct memory_controller *controller,
                     void (*on_expired)(void *owner, const struct block_account *account));

/* Moves the arena behind ARENA_FD, which is taken over on every path, of a process that had LEASE
 * and ended at END_NS. ON_KEPT comes once, from the loop, with the record (the store's own), or
 * NULL and the ERROR; never from inside this call. A negative errno means that nothing was begun
 * and ON_KEPT is not called. What is left of the lease then is the caller's to free. */
typedef void (*exit_store_on_kept)(struct exit_record *record, int error, void *owner);
int exit_store_keep(struct exit_store *store, int arena_fd, lease_owner lease, uint64_t end_ns,
                    exit_store_on_kept on_kept, void *owner);

/* The file that records are in, borrowed; -1: there is none. It cannot be written to: who reads one
 * record may be in the power of what is in it, and must not reach the others. */
int exit_store_fd(const struct exit_store *store);

/* What it really takes, as the kernel counts. */
uint64_t exit_store_kernel_bytes(const struct exit_store *store);

/* The controller chose chunk SLOT of SOURCE, a record's: it is counted as dropped, and its memory
 * freed. The record may be gone after this. */
void exit_store_drop(struct exit_store *store, struct memory_source *source, uint32_t slot);

/* Puts the lease right after drops. */
void exit_store_settle(struct exit_store *store);

/* While a capture reads RECORD, nothing of it is chosen. */
void exit_store_hold(struct exit_store *store, struct exit_record *record, bool is_held);

/* Forgets all records without on_expired: a new session begins. Moves under way end in -ECANCELED.
 */
void exit_store_clear(struct exit_store *store);

/* The end; no move is under way. */
void exit_store_destroy(struct exit_store *store);

#endif
