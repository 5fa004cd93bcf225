/* The decisions while one capture is gathered: which process is asked when, and when to stop
 * waiting.
 *
 * Every process of the capture is an item. Living ones are asked for their profiles, a window of
 * them at a time; the profiles of stored ones (ended, detached) are made by salvage workers. JSON
 * is several times larger than what it is made from, so the JSON that has been made and not yet
 * written, plus an estimate of that being made, is kept below a limit. Two polls without progress
 * anywhere end the wait for the processes that were asked: they are salvaged. So does the deadline,
 * which is suspended while everything waits for the output.
 *
 *     waiting ──ask──▶ asked ──answer──────────────────▶ made ──written──▶ done
 *        ├──fails──────────┤                               ▲
 *        │                 ├──fails──▶ salvage ──begin──▶ salvaging ──lost──▶ done
 *        └──ends──▶ storing ◀──ends    ▲
 *                      └───stored──────┘
 *
 * A process that was alive when a worker began with its arena, and has ended when the worker is
 * done, goes back from salvaging to storing.
 *
 * Pure: no I/O, no clock. */
#ifndef PROFD_DAEMON_GATHER_H
#define PROFD_DAEMON_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GATHER_WINDOW = 8,                 /* children that make their JSON at once */
    GATHER_POLL_MS = 500,              /* between two questions for progress */
    GATHER_POLLS_WITHOUT_PROGRESS = 2, /* end the waiting */
    GATHER_MAX_BUSY = 100,             /* "busy" answers of one child, some 100 ms apart */
    GATHER_BATCH_ITEMS = 256,          /* per salvage worker: a start costs as much as several */
};
#define GATHER_BYTES_IN_FLIGHT (64ULL << 20)
/* Estimated JSON of one salvage worker's batch; several batches fit in flight. */
#define GATHER_BATCH_BYTES (16ULL << 20)
/* JSON is about this many times larger than the chunks from which it is made. */
#define GATHER_JSON_RATIO 6

enum gather_state {
    GATHER_WAITING,   /* live, not asked */
    GATHER_ASKED,     /* live, making its JSON */
    GATHER_STORING,   /* has ended; the exit store is copying it */
    GATHER_SALVAGE,   /* to be given to a salvage worker */
    GATHER_SALVAGING, /* with a salvage worker */
    GATHER_MADE,      /* its JSON waits to be written */
    GATHER_DONE,      /* written, or given up */
};

struct gather_item {
    enum gather_state state;
    uint64_t estimate_bytes; /* of its JSON; the real size once it is made */
    uint64_t proportion;     /* of PROGRESS_SCALE, while asked */
    unsigned busy_answers;
    bool is_alone; /* its arena is not in the exit store: needs its own worker */
    bool is_ready; /* its agent has brought the arena up to date */
};

struct gather {
    struct gather_item *items; /* owned */
    size_t count, done;
    size_t next_waiting, next_salvage; /* no item in that state before these */
    size_t asked;
    uint64_t bytes_in_flight;
    uint64_t timeout_ms, waited_ms;
    unsigned polls_without_progress;
    bool has_progress; /* since the last poll */
};

/* Creates COUNT items, all GATHER_DONE until set. TIMEOUT_MS 0: no deadline. Returns 0, or -ENOMEM:
 * then there are no items. */
int gather_create(size_t count, uint64_t timeout_ms, struct gather *gather);
void gather_destroy(struct gather *gather);

/* Sets the first state of item INDEX (waiting, storing or salvage; the last needs a worker of its
 * own unless IS_STORED) and the bytes that it recorded. To be called before the first process is
 * asked. */
void gather_set(struct gather *gather, size_t index, enum gather_state state, bool is_stored,
                uint64_t recorded_bytes);

/* The next living item to ask, which is now marked as asked; -1: not now, or none is left. */
long gather_next_to_ask(struct gather *gather);

/* Puts a batch for one salvage worker, up to CAPACITY items, into INDICES, and marks them as being
 * salvaged. Returns their number; 0: not now, or none is left. */
size_t gather_next_to_salvage(struct gather *gather, size_t *indices, size_t capacity);

/* What happened. Each is ignored if it is not possible in the item's state (a late answer). */
void gather_note_proportion(struct gather *gather, size_t index, uint64_t proportion);
/* Its JSON has been made; JSON_BYTES 0: it was left out on purpose and is done. True unless
 * ignored. */
bool gather_note_made(struct gather *gather, size_t index, uint64_t json_bytes);
/* It was asked or is waiting, and will not answer: it is to be salvaged. True unless ignored. */
bool gather_note_failed(struct gather *gather, size_t index);
/* It was asked, and its arena is now up to date: the arena is to be copied, and the item counts as
 * answered. True unless ignored. */
bool gather_note_ready(struct gather *gather, size_t index);
/* It was asked, and is still making the profile for a cancelled capture: it is asked again later.
 * Returns false if it said so too often, or was not asked; then nothing changes. */
bool gather_note_busy(struct gather *gather, size_t index);
/* Its process has ended and its arena is being copied (true unless ignored); the copy is
 * finished. */
bool gather_note_ended(struct gather *gather, size_t index);
void gather_note_stored(struct gather *gather, size_t index);
/* It ended while a worker was reading its arena, which the exit store has since taken over: what
 * the worker made is not used, and the item waits for the store. True unless ignored. */
bool gather_note_outdated(struct gather *gather, size_t index);
/* The worker that was to read it ended before it began with it. */
void gather_note_retry(struct gather *gather, size_t index);
/* Its JSON is in the output, or cannot be made. */
void gather_note_done(struct gather *gather, size_t index);
/* The output has accepted bytes. */
void gather_note_output(struct gather *gather);

enum gather_verdict { GATHER_GO_ON, GATHER_STALLED, GATHER_TIMED_OUT };

/* To be called every GATHER_POLL_MS. Unless it returns GATHER_GO_ON, the caller must fail all items
 * that were asked, with gather_note_failed(); after GATHER_TIMED_OUT the waiting ones as well. */
enum gather_verdict gather_poll(struct gather *gather);

/* The progress so far, in parts of PROGRESS_SCALE. */
uint64_t gather_proportion(const struct gather *gather);

static inline bool gather_is_complete(const struct gather *gather)
{
    return gather->done == gather->count;
}

#endif
