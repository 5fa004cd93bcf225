/* profd's side of the common memory limit: runs the lease ledger and the memory controller.
 *
 * Children are asked for their chunk updates, which the controller folds in; what it wants
 * destroyed is sent to them as DestroyReleasedChunksAtOrBefore, or dropped from the exit store. A
 * decision reads the whole ledger, so updates that arrive close together are handled by one
 * decision. Units of images that ended before they said hello are freed from time to time. Loop
 * thread. */
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

/* What this part looks at, or works on; borrowed. */
struct memory_views {
    const struct session *session;
    struct child_table *children;
    struct exit_store *exits;
};

/* The state of a living child that has an arena. */
struct memory_share {
    struct memory_source source;
    bool owes_update;          /* it was asked for its next chunk update */
    uint64_t destroy_until_ns; /* of a decision being carried out; 0: none */
    struct child *next_to_destroy;
};

struct memory_events {
    /* Whether OWNER, which is no child, may still say hello, so that its units must be kept. */
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
    struct lease_census suspects; /* unknown holders that had ended at the last look */
    uint64_t decided_ns;
    uv_timer_t chores_timer;
    uint64_t looked_ns; /* at processes without an agent thread; see chores.h */
    bool is_open;
};

/* *MEMORY is zeroed before. To be called before profd listens. Returns 0, or a negative errno from
 * the loop. */
int memory_init(struct memory *memory, uv_loop_t *loop, const struct memory_views *views,
                const struct memory_events *events, void *context);

/* profd now holds the lock of the socket at SOCKET_PATH (borrowed): creates the ledger at PLACE,
 * with LIMIT_BYTES, or adopts the one that a killed profd left; *PAST says which. Returns 0, or a
 * negative errno, which has been logged. */
int memory_open(struct memory *memory, const char *socket_path, uint64_t limit_bytes,
                enum ledger_place place, enum ledger_past *past);

/* Closes the ledger when profd ends normally, while it still holds the lock. Safe to repeat. */
void memory_close(struct memory *memory);

/* Like memory_close(), but processes keep their leases, for a profd that is started before UNTIL_NS
 * on CLOCK_MONOTONIC. */
void memory_leave(struct memory *memory, uint64_t until_ns);

/* Publishes the state of the session to where processes without an agent thread read it, and
 * whether there may be such processes. MAY_BE_ALONE: their recordings can be found after profd was
 * killed, or need not be. To be called after each change. */
void memory_publish_session(struct memory *memory, bool may_be_alone);

/* Sets the limit of the session to LIMIT_BYTES, which must be within the bounds of a ledger.
 * Returns the limit that is then in force: the old one if the new one cannot be set, which is
 * logged. */
uint64_t memory_set_limit(struct memory *memory, uint64_t limit_bytes);

/* A session begins: forgets what was known of children's chunks, which belong to an earlier one. */
void memory_begin_session(struct memory *memory);

/* CHILD has an arena from now on. */
void memory_add_child(struct memory *memory, struct child *child);

/* CHILD takes part in the session: asks for its updates. */
void memory_await(struct child *child);

/* Applies an update of CHILD. Returns 0, or a negative errno that ends the connection. */
int memory_note_update(struct memory *memory, struct child *child, const uint8_t *payload,
                       size_t bytes);

/* CHILD's connection is gone: it owes no update. */
void memory_note_disconnected(struct child *child);

/* Records in the ledger, for the next profd, that ENDED children belong to the session. */
void memory_note_ended(struct memory *memory, uint64_t ended);

/* The number that was recorded last, by this profd or the previous one; 0 without a ledger. */
uint64_t memory_ended_count(const struct memory *memory);

/* Something changed that may require a decision, which is made now or when enough time has
 * passed. */
void memory_schedule_decision(struct memory *memory);

/* CHILD has ended: the controller forgets its chunks. It keeps its units. */
void memory_stop_aging(struct memory *memory, struct child *child);

/* CHILD or its arena is about to be freed: gives its units back. */
void memory_forget_child(struct memory *memory, struct child *child);

#endif
