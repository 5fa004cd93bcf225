/* What profd does for the clocks of processes that have no thread of ours: it keeps their perf
 * events (lent_event.h).
 *
 * Loop thread. */
#ifndef PROFD_DAEMON_LENDING_H
#define PROFD_DAEMON_LENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct child;
struct loan;
struct session;

struct lending_events {
    /* Something is lent, and who borrows may have told that it wants something else. */
    void (*on_listen)(void *context);
};

struct lending {
    const struct session *session; /* borrowed */
    const struct lending_events *events;
    void *context;
    uv_timer_t timer;   /* runs while anything is lent: who borrows is heard soon */
    struct loan *first; /* of children that were followed */
    size_t lent_count;  /* events */
    bool is_open;
};

/* *LENDING is zeroed. 0, or the error of libuv. */
int lending_init(struct lending *lending, uv_loop_t *loop, const struct session *session,
                 const struct lending_events *events, void *context);
/* Nothing is listened for any more; what is lent is taken back child by child. Safe to repeat, and
 * on a zeroed one. */
void lending_close(struct lending *lending);

/* CHILD may want another event than it has. What cannot be lent is logged. */
void lending_follow(struct lending *lending, struct child *child);

/* CHILD has ended, or become another program, or is about to be freed. Safe to repeat. */
void lending_end(struct lending *lending, struct child *child);

/* Sampling may have been paused, or gone on. */
void lending_follow_session(struct lending *lending);

/* The session is over. */
void lending_end_session(struct lending *lending);

#endif
