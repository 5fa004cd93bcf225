/* profd's side of the one memory limit: the ledger of leases, and the controller at work.
 *
 * Children are asked for their chunk updates, which the controller folds; what it wants destroyed
 * is sent to them as DestroyReleasedChunksAtOrBefore, or done in the exit store. Deciding takes a
 * look at the whole ledger, so updates that come close together are answered together. Units of
 * images that ended before they ever said hello are freed now and then. Loop thread. */
#ifndef PROFD_DAEMON_MEMORY_H
#define PROFD_DAEMON_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "buffer/lease_ledger.h"
#include "daemon/memory/lease_census.h"
#include "daemon/memory/memory_controller.h"
#include "ipc/ledger_file.h"

struct child;
struct child_table;
struct exit_store;
struct session;

/* What it looks at, or works on; borrowed. */
struct memory_views {
    const struct session *session;
    struct child_table *children;
    struct exit_store *exits;
};

/* What is kept for a child that has an arena and lives. */
struct memory_share {
    struct memory_source source;
    bool owes_update;          /* it was asked for its next chunk update */
    uint64_t destroy_until_ns; /* of a decision being carried out; 0: nothing */
    struct child *next_to_destroy;
};

struct memory_events {
    /* Whether OWNER, of whom there is no child, may still say hello: its units are not lost. */
    bool (*is_awaited)(lease_owner owner, void *context);
};

struct memory {
    const struct session *session;
    struct child_table *children;
    struct exit_store *exits;
    const struct memory_events *events;
    void *context;
    const char *socket_path; /* borrowed; beside it is the ledger's file */
    struct lease_ledger ledger;
    int ledger_fd; /* for agents; -1: none */
    struct memory_controller controller;
    uv_timer_t timer; /* for the next decision */
    uv_timer_t reclaim_timer;
    struct lease_census suspects; /* that had ended at the last look, unknown to us */
    uint64_t decided_ns;
    uv_timer_t chores_timer;
    uint64_t looked_ns; /* at those who tell nothing themselves; see chores.h */
    bool is_open;
};

/* *MEMORY is zeroed; before anything listens. Negative errno of the loop. */
int memory_init(struct memory *memory, uv_loop_t *loop, const struct memory_views *views,
                const struct memory_events *events, void *context);

/* profd holds the lock of the socket at SOCKET_PATH (borrowed) now: makes the ledger there, with
 * LIMIT_BYTES, or adopts the one that a killed profd left; *PAST says which. What goes wrong was
 * logged. */
int memory_open(struct memory *memory, const char *socket_path, uint64_t limit_bytes,
                enum ledger_past *past);

/* The good end, while profd still holds the lock. Safe to repeat. */
void memory_close(struct memory *memory);

/* As memory_close(), but what processes have stays theirs, for a profd that is started until
 * UNTIL_NS on CLOCK_MONOTONIC. */
void memory_leave(struct memory *memory, uint64_t until_ns);

/* Writes the state of the session to where processes without an agent thread read it, and whether
 * there may be such processes: only if what they recorded can be found after profd was killed, or
 * need not be. To be called after each change. */
void memory_publish_session(struct memory *memory, bool may_be_alone);

/* Sets the limit of the session to LIMIT_BYTES, which a ledger can have. Returns the limit that
 * holds: the old one when the new one cannot be set, which is logged. */
uint64_t memory_set_limit(struct memory *memory, uint64_t limit_bytes);

/* A session begins: what was known of children's chunks belongs to an earlier one. */
void memory_begin_session(struct memory *memory);

/* CHILD has an arena from now on. */
void memory_add_child(struct memory *memory, struct child *child);

/* CHILD takes part in the session: its updates are wanted. */
void memory_await(struct child *child);

/* The answer. A negative errno ends the connection. */
int memory_note_update(struct memory *memory, struct child *child, const uint8_t *payload,
                       size_t bytes);

/* CHILD's connection is gone: it owes no update. */
void memory_note_disconnected(struct child *child);

/* ENDED children belong to the session: kept in the ledger for the next profd. */
void memory_note_ended(struct memory *memory, uint64_t ended);

/* What was noted last, by this profd or by the one before; 0 without a ledger. */
uint64_t memory_ended_count(const struct memory *memory);

/* Something changed that may call for a decision: now, or when enough time has passed. */
void memory_schedule_decision(struct memory *memory);

/* CHILD has ended: its chunks are no longer aged. Its units are still its own. */
void memory_stop_aging(struct memory *memory, struct child *child);

/* CHILD is about to be freed, or its arena is. Its units are nobody's after this. */
void memory_forget_child(struct memory *memory, struct child *child);

#endif
