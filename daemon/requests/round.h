/* A round: gives each connected child an order, and waits for the answers.
 *
 * It is over when all have answered or are gone, or after ROUND_DEADLINE_MS. Loop thread. */
#ifndef PROFD_DAEMON_ROUND_H
#define PROFD_DAEMON_ROUND_H

#include <stdbool.h>
#include <uv.h>

struct child;
struct child_table;

enum {
    /* An agent answers in milliseconds, a frozen process never. A person waits this long without
     * wondering. */
    ROUND_DEADLINE_MS = 3000,
    ROUND_TEXT_BYTES = 512,
};

struct round_events {
    /* Sends the order to CHILD, which is connected. A negative errno: its answer is not awaited. */
    int (*send)(struct child *child, void *context);
    /* The round is over. SILENT is one line that names those that did not answer; "": all did. */
    void (*on_over)(const char *silent, void *context);
};

struct round {
    const struct child_table *children; /* borrowed */
    const struct round_events *events;
    void *context;
    void *awaited;    /* a tree (tsearch()) of children */
    unsigned missing; /* their number */
    uv_timer_t deadline;
};

/* *ROUND is zeroed before. Returns 0, or a negative errno from the loop. */
int round_init(struct round *round, uv_loop_t *loop, const struct child_table *children,
               const struct round_events *events, void *context);

/* Raises no more events. */
void round_close(struct round *round);

/* Begins a round; none may be under way. It may be over at once. */
void round_begin(struct round *round);

/* CHILD has answered, or cannot answer. Does nothing if it is not awaited. */
void round_count_off(struct round *round, const struct child *child);

#endif
