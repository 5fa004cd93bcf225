/* The decisions of one gathering: who is asked when, and when the waiting ends.
 *
 * Every process of the capture is an item. Live ones are asked for their profile, a window of them
 * at a time; stored ones (ended, detached) are made by the salvage worker. JSON is several times
 * larger than what it is made from, so what was made and not yet written, with what is being made
 * as estimated, stays below a bound. Two polls without progress anywhere end the waiting for those
 * that were asked: they are salvaged. So does the deadline, which stands still while the output is
 * what everyone waits for.
 *
 *     waiting ──ask──▶ asked ──answer──────────────────▶ made ──written──▶ done
 *        ├──fails──────────┤                               ▲
 *        │                 ├──fails──▶ salvage ──begin──▶ salvaging ──lost──▶ done
 *        └──ends──▶ storing ◀──ends    ▲
 *                      └───stored──────┘
 *
 * One that lives when a worker begins with its arena, and has ended when the worker is done, goes
 * back from salvaging to storing.
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
    GATHER_MAX_BUSY = 100,             /* answers "not now" of one child, some 100 ms apart */
    GATHER_BATCH_ITEMS = 256, /* of one salvage worker: its start costs as much as several */
};
#define GATHER_BYTES_IN_FLIGHT (64ULL << 20)
/* Estimated JSON of one salvage worker's batch: several batches fit in flight. */
#define GATHER_BATCH_BYTES (16ULL << 20)
/* JSON is about this many times larger than the chunks that it is made from. */
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
    uint64_t estimate_bytes; /* of its JSON; what it really has when made */
    uint64_t proportion;     /* of PROGRESS_SCALE, while asked */
    unsigned busy_answers;
    bool is_alone; /* its arena is not in the exit store: a worker of its own */
    bool is_ready; /* its agent has brought the arena up to date */
};

struct gather {
    struct gather_item *items; /* owned */
    size_t count, done;
    size_t next_waiting, next_salvage; /* no such item before these */
    size_t asked;
    uint64_t bytes_in_flight;
    uint64_t timeout_ms, waited_ms;
    unsigned polls_without_progress;
    bool has_progress; /* since the last poll */
};

/* COUNT items, all GATHER_DONE until set. TIMEOUT_MS 0: none. -ENOMEM: it has no items. */
int gather_create(size_t count, uint64_t timeout_ms, struct gather *gather);
void gather_destroy(struct gather *gather);

/* Before the first question: item INDEX begins as STATE (waiting, storing or salvage; the last is
 * alone unless IS_STORED), with the memory that it recorded. */
void gather_set(struct gather *gather, size_t index, enum gather_state state, bool is_stored,
                uint64_t recorded_bytes);

/* The next live item to ask, now marked so; -1: not now, or none is left. */
long gather_next_to_ask(struct gather *gather);

/* A batch for one salvage worker, now marked so: up to CAPACITY items into INDICES. 0: not now, or
 * none. */
size_t gather_next_to_salvage(struct gather *gather, size_t *indices, size_t capacity);

/* What happened. Each is ignored when the item is in no state where it can happen (a late answer).
 */
void gather_note_proportion(struct gather *gather, size_t index, uint64_t proportion);
/* Its JSON exists; JSON_BYTES 0: dropped on purpose, done. True when it counts. */
bool gather_note_made(struct gather *gather, size_t index, uint64_t json_bytes);
/* Asked or waiting, and it won't answer: salvage it. True when it counts. */
bool gather_note_failed(struct gather *gather, size_t index);
/* Asked, and its arena has everything now: it is to be copied, and counts as answered. True when it
 * counts. */
bool gather_note_ready(struct gather *gather, size_t index);
/* Asked, and it still makes the profile for a capture that was cancelled: it is asked again later.
 * False when it said so too often, or was not asked: nothing changes. */
bool gather_note_busy(struct gather *gather, size_t index);
/* Its process has ended and is being copied (true when it counts); the copy is there. */
bool gather_note_ended(struct gather *gather, size_t index);
void gather_note_stored(struct gather *gather, size_t index);
/* It ended while a worker read its arena, which the exit store took away meanwhile: what the worker
 * made is not used. It waits for the store; true when it counts. */
bool gather_note_outdated(struct gather *gather, size_t index);
/* The worker that had it ended before it came to it. */
void gather_note_retry(struct gather *gather, size_t index);
/* Its JSON is in the output, or cannot be had. */
void gather_note_done(struct gather *gather, size_t index);
/* The output took bytes. */
void gather_note_output(struct gather *gather);

enum gather_verdict { GATHER_GO_ON, GATHER_STALLED, GATHER_TIMED_OUT };

/* Every GATHER_POLL_MS. Unless it says GATHER_GO_ON, those asked are to be failed by the caller,
 * with gather_note_failed(); after GATHER_TIMED_OUT the waiting ones too. */
enum gather_verdict gather_poll(struct gather *gather);

/* Of PROGRESS_SCALE, for people. */
uint64_t gather_proportion(const struct gather *gather);

static inline bool gather_is_complete(const struct gather *gather)
{
    return gather->done == gather->count;
}

#endif
