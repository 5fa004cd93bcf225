/* A capture that is being made. Private to the capture*.c files. */
#ifndef PROFD_DAEMON_CAPTURE_STATE_H
#define PROFD_DAEMON_CAPTURE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "daemon/capture/capture_assembler.h"
#include "daemon/capture/captures.h"
#include "daemon/capture/gather.h"
#include "daemon/capture/gathering_log.h"
#include "daemon/children/child_table.h"
#include "ipc/messages.h"
#include "json/gecko/gecko_root.h"

enum { CAPTURE_TEXTS = 2 }; /* head and tail */

/* A process that the capture is to read. */
struct capture_item {
    struct child *child;
    const char *reason; /* a literal: why it did not answer; NULL if it did */
};

/* The index of a child's item. */
struct capture_entry {
    const struct child *child;
    size_t index;
};

struct capture {
    struct captures *captures;
    const struct captures_views *views; /* theirs */
    struct capture_order order;         /* its output is the assembler's */
    uint64_t gather_id;
    uint64_t capture_ns;
    uint64_t since_ns; /* what is older is left out; 0: nothing is */
    struct gather gather;
    struct capture_item *items;    /* parallel to gather's items; owned */
    struct capture_entry *entries; /* of the items, for capture_find(); owned; NULL: not yet */
    struct capture_assembler *assembler;
    struct unprofiled_list *unprofiled; /* being made; NULL: none */
    struct gathering_log log;
    uv_timer_t timer;
    unsigned ticks;
    uint64_t last_output_bytes;
    uint64_t processes;                           /* elements in the output */
    struct message_profile_place *profile_places; /* owned */
    size_t profile_place_count;
    bool has_tail; /* the tail is on its way */
    unsigned texts_written;
    unsigned copies; /* pieces of a raw capture being copied */
    uint64_t copied; /* processes whose copying was begun */
    bool is_over;
    const char *feature_names[FEATURE_COUNT + 1]; /* NULL-terminated */
    struct gecko_root_options root;
};

/* A part of the output that holds items. */
struct capture_piece {
    /* For a piece of a raw capture: called when it is written, takes the piece over. NULL: JSON. */
    void (*on_written)(struct capture *capture, struct capture_piece *piece);
    uint64_t bytes; /* of all of it */
    size_t count;
    struct capture_piece_item {
        size_t index;
        uint64_t start, end; /* of its JSON in the piece */
    } items[];
};

/* Creates a capture for ORDER, whose output is taken over on every path. The loop frees it some
 * time after its end. NULL: out of memory. */
struct capture *capture_create(struct captures *captures, const struct capture_order *order);

/* Begins it as the current capture; it may already be over when this returns. */
void capture_start(struct capture *capture);

/* Ends the capture, which is not over yet, with ERROR and TEXT for on_finished. */
void capture_end(struct capture *capture, int error, const char *text);

/* Whether each part of ORDER's selection matches a process; what does not was mistyped, or asked
 * for too late. Otherwise false, with one line of at most CAPACITY bytes in TEXT. */
bool capture_selects_any(const struct captures *captures, const struct capture_order *order,
                         char *text, size_t capacity);

/* Lists the children of the capture as its items, and sets up its gather. Returns 0 or a negative
 * errno. */
int capture_list_children(struct capture *capture);

/* Builds the index for capture_find() once all items are listed. Returns 0 or -ENOMEM. */
int capture_index_items(struct capture *capture);

/* Finds the *INDEX of CHILD's item. Returns false if it has none. */
bool capture_find(const struct capture *capture, const struct child *child, size_t *index);

/* Add the output that precedes all processes, and that follows them. Return 0 or a negative
 * errno. */
int capture_add_head(struct capture *capture);
int capture_add_tail(struct capture *capture);

/* Whether CHILD does not belong in the capture: it ended before the time that is captured, belongs
 * to an earlier session, or is not selected. */
bool capture_leaves_out(const struct capture *capture, const struct child *child);

/* The thread filters of the capture; "": all threads. */
const char *capture_thread_filters(const struct capture *capture);

/* Asks item INDEX, which is marked as asked, for its profile. */
void capture_ask(struct capture *capture, size_t index);
void capture_ask_for_progress(const struct capture *capture);

/* Stops waiting for the answer of item INDEX. WHY, a literal, is shown in the profile. */
void capture_fail_item(struct capture *capture, size_t index, const char *why);

/* Starts as many salvage batches as there is room for. */
void capture_salvage(struct capture *capture);

/* The same for a raw capture: starts to copy arenas. */
void capture_copy(struct capture *capture);

/* The job with which item INDEX is read. Its offset and bytes are those of the arena in the exit
 * store. */
struct salvage_job capture_describe(const struct capture *capture, size_t index);

/* Item INDEX was read, as JOB says; cannot be read, for the reason WHY; or has ended in the
 * meantime and is read again, from the store. */
void capture_note_read(struct capture *capture, size_t index, const struct salvage_job *job);
void capture_give_up(struct capture *capture, size_t index, const char *why);
void capture_read_again(struct capture *capture, size_t index);

/* Whether anything is kept of CHILD from which a profile can be made. */
bool capture_can_read(const struct child *child);

/* Whether CHILD called exec and the program that followed has ended without a hello (while it
 * lives, it may still say hello); and the reason that is then shown. */
bool capture_is_lost_in_exec(const struct capture *capture, const struct child *child);
extern const char *const capture_lost_in_exec;

/* Hold and release the record of an item in the exit store: from when it waits to be read until it
 * has been read or cannot be. */
void capture_reference(struct capture *capture, size_t index);
void capture_release(struct capture *capture, size_t index);

/* Whether CHILD, of another user, became another program, which is known, just before profd allowed
 * it to record. */
bool capture_has_successor(const struct capture *capture, const struct child *child);

/* Why nothing is kept of CHILD, a literal. NULL: it had nothing to record. */
const char *capture_absence_reason(const struct capture *capture, const struct child *child);

/* Starts to list the processes of which nothing is kept; the tail waits for the list. Returns 0 or
 * a negative errno. */
int capture_list_unprofiled(struct capture *capture);
/* CAPTURE is over: it no longer waits for the list. */
void capture_forget_unprofiled(struct capture *capture);

/* Ends the capture because it cannot be written. Does nothing if it is already over. */
void capture_fail(struct capture *capture, int error);

/* Does whatever can be done now. To be called after every event. */
void capture_advance(struct capture *capture);

/* PIECE (taken over on every path; its items are in the state "made") has BYTES in FD (taken over).
 */
void capture_add_piece(struct capture *capture, struct capture_piece *piece, int fd,
                       uint64_t bytes);

#endif
