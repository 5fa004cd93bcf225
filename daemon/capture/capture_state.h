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
    const char *reason; /* why nobody answered for it, if nobody did; a literal */
};

/* The item that a child is. */
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
    uint64_t since_ns; /* what was before is left out; 0: nothing is */
    struct gather gather;
    struct capture_item *items;    /* those of gather, same indices; owned */
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
    unsigned copies; /* pieces of a raw capture that are under way */
    uint64_t copied; /* processes that were begun in it */
    bool is_over;
    const char *feature_names[FEATURE_COUNT + 1]; /* NULL-terminated */
    struct gecko_root_options root;
};

/* A part of the output that holds items. */
struct capture_piece {
    /* Takes the piece over, of a raw capture; NULL: it is JSON. */
    void (*on_written)(struct capture *capture, struct capture_piece *piece);
    uint64_t bytes; /* of all of it */
    size_t count;
    struct capture_piece_item {
        size_t index;
        uint64_t start, end; /* of its JSON in the piece */
    } items[];
};

/* One that does what ORDER, whose output is taken over on every path, says; freed by the loop some
 * time after its end. NULL without memory. */
struct capture *capture_create(struct captures *captures, const struct capture_order *order);

/* Begins it, as the current one of its captures; it may be over after this. */
void capture_start(struct capture *capture);

/* Ends it, which is not over, with ERROR and TEXT for on_finished. */
void capture_end(struct capture *capture, int error, const char *text);

/* Whether what ORDER selects is there: what is not was mistyped, or came too late. False with one
 * line of CAPACITY bytes at most in TEXT. */
bool capture_selects_any(const struct captures *captures, const struct capture_order *order,
                         char *text, size_t capacity);

/* Fills in the children that the capture is about, and its gather. 0 or a negative errno. */
int capture_list_children(struct capture *capture);

/* Makes the items, which are all there, findable. 0 or -ENOMEM. */
int capture_index_items(struct capture *capture);

/* The *INDEX of the item that CHILD is. False when it is none. */
bool capture_find(const struct capture *capture, const struct child *child, size_t *index);

/* Adds what comes before all processes, and after them. 0 or a negative errno. */
int capture_add_head(struct capture *capture);
int capture_add_tail(struct capture *capture);

/* Whether the capture is not about CHILD: it ended before the time that is captured, or with an
 * earlier session, or others were asked for. */
bool capture_leaves_out(const struct capture *capture, const struct child *child);

/* The filters for threads; "": all. */
const char *capture_thread_filters(const struct capture *capture);

/* Asks item INDEX, which is marked so, for its profile. */
void capture_ask(struct capture *capture, size_t index);
void capture_ask_for_progress(const struct capture *capture);

/* Stops waiting for its answer. WHY is shown in the profile; it is a literal. */
void capture_fail_item(struct capture *capture, size_t index, const char *why);

/* Begins salvage batches for which there is room. */
void capture_salvage(struct capture *capture);

/* The same for a raw capture: begins to copy arenas. */
void capture_copy(struct capture *capture);

/* What item INDEX is read with; its offset and bytes are those of its arena in the exit store. */
struct salvage_job capture_describe(const struct capture *capture, size_t index);

/* Item INDEX was read as JOB says, cannot be, or has ended meanwhile: then it is read again, from
 * the store. */
void capture_note_read(struct capture *capture, size_t index, const struct salvage_job *job);
void capture_give_up(struct capture *capture, size_t index, const char *why);
void capture_read_again(struct capture *capture, size_t index);

/* Whether something is kept of CHILD that a profile can be made from. */
bool capture_can_read(const struct child *child);

/* Whether CHILD called exec, and what came after it is gone without a word; one that lives may
 * still say hello. And the reason that is shown then. */
bool capture_is_lost_in_exec(const struct capture *capture, const struct child *child);
extern const char *const capture_lost_in_exec;

/* While an item waits to be read, the exit store keeps its record whole; released when it was read,
 * or cannot be. */
void capture_reference(struct capture *capture, size_t index);
void capture_release(struct capture *capture, size_t index);

/* Whether CHILD, of another user, became another program, which is known, in the moment before
 * profd had let it record. */
bool capture_has_successor(const struct capture *capture, const struct child *child);

/* Why nothing is kept of CHILD; a literal. NULL: it had nothing to record. */
const char *capture_absence_reason(const struct capture *capture, const struct child *child);

/* Begins to list the processes of which nothing is kept; the tail waits for that. 0 or a negative
 * errno. */
int capture_list_unprofiled(struct capture *capture);
/* CAPTURE, which is over, waits for the list no more. */
void capture_forget_unprofiled(struct capture *capture);

/* Ends the capture, which cannot be written. Nothing when it is over. */
void capture_fail(struct capture *capture, int error);

/* Does whatever can be done now; after every event. */
void capture_advance(struct capture *capture);

/* PIECE (taken over on every path; its items are in the state "made") has BYTES in FD (taken over).
 */
void capture_add_piece(struct capture *capture, struct capture_piece *piece, int fd,
                       uint64_t bytes);

#endif
