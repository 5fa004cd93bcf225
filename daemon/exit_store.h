/* The exit store: what processes that ended had recorded, side by side in one file of memory.
 *
 * A process that ends in whatever way leaves its arena behind; a compact copy of it is appended
 * here on a worker thread, and the agent's own arena is closed. So an exit costs the dying process
 * nothing, and profd one descriptor for all of them. Kept are at most EXIT_STORE_MAX_RECORDS
 * profiles and the bytes of the session's limit; older ones are dropped for newer ones, and
 * counted. Loop thread, but for the copying. */
#ifndef PROFD_DAEMON_EXIT_STORE_H
#define PROFD_DAEMON_EXIT_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum {
    /* A parallel build of a large project; each costs profd itself about 500 bytes with its child.
     */
    EXIT_STORE_MAX_RECORDS = 16384,
};

/* One process's part of the file. */
struct exit_record {
    uint64_t offset, bytes; /* in the file; a valid arena by itself */
    uint64_t memory_bytes;  /* of them, not holes */
    void *owner;
    struct exit_record *next; /* kept ones, oldest first */
};

struct exit_store {
    uv_loop_t *loop;
    int fd;               /* -1 until the first record */
    unsigned file_number; /* grows when the file is replaced */
    uint64_t end_offset;
    uint64_t memory_bytes;
    uint64_t memory_limit_bytes;
    unsigned record_limit; /* EXIT_STORE_MAX_RECORDS, less in tests */
    unsigned records;      /* kept */
    unsigned copying;      /* copies under way */
    uint64_t dropped_records, dropped_bytes, failed_records;
    bool is_pinned; /* a capture reads: nothing is dropped */
    struct exit_record *first, *last;
    /* OWNER's record was dropped to make room; it is freed after this. */
    void (*on_dropped)(void *owner);
};

void exit_store_init(struct exit_store *store, uv_loop_t *loop, uint64_t memory_limit_bytes,
                     void (*on_dropped)(void *owner));

/* Copies the arena behind ARENA_FD, which is taken over on every path. ON_KEPT comes once, from the
 * loop, with the record (the store's own), or NULL and the ERROR; never from inside this call. A
 * negative errno means that nothing was begun and ON_KEPT is not called. */
typedef void (*exit_store_on_kept)(struct exit_record *record, int error, void *owner);
int exit_store_keep(struct exit_store *store, int arena_fd, exit_store_on_kept on_kept,
                    void *owner);

/* While a capture reads the store, nothing is dropped; unpinning makes up for it. */
void exit_store_pin(struct exit_store *store);
void exit_store_unpin(struct exit_store *store);

/* Drops all records without on_dropped: a new session begins. Copies under way end in -ECANCELED.
 */
void exit_store_clear(struct exit_store *store);

/* The end; no copy is under way. */
void exit_store_destroy(struct exit_store *store);

#endif
