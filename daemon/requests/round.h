/* A round: each connected child is given an order, and its answer is awaited.
 *
 * The round is over when all have answered or are gone, or after ROUND_DEADLINE_MS. Loop thread. */
#ifndef PROFD_DAEMON_ROUND_H
#define PROFD_DAEMON_ROUND_H

#include <stdbool.h>
#include <uv.h>

struct child;
struct child_table;

enum {
    /* An agent answers in milliseconds, a frozen process never: what a person waits for without
     * wondering. */
    ROUND_DEADLINE_MS = 3000,
    ROUND_TEXT_BYTES = 512,
};

struct round_events {
    /* Gives CHILD, which is connected, the order. Negative errno: it is not awaited. */
    int (*send)(struct child *child, void *context);
    /* The round is over. SILENT is a line that names those that did not answer; "" without any. */
    void (*on_over)(const char *silent, void *context);
};

struct round {
    const struct child_table *children; /* borrowed */
    const struct round_events *events;
    void *context;
    void *awaited;    /* a tree (tsearch()) of children */
    unsigned missing; /* so many */
    uv_timer_t deadline;
};

/* *ROUND is zeroed. Negative errno of the loop. */
int round_init(struct round *round, uv_loop_t *loop, const struct child_table *children,
               const struct round_events *events, void *context);

/* Raises no more events. */
void round_close(struct round *round);

/* None is under way. May be over at once. */
void round_begin(struct round *round);

/* CHILD has answered, or cannot. Nothing when it is not awaited. */
void round_count_off(struct round *round, const struct child *child);

#endif
