/* Holds the perf events of the sampling clocks of processes without an agent thread (lent_event.h).
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
    /* An event is lent, and a borrower may have asked for another one. */
    void (*on_listen)(void *context);
};

struct lending {
    const struct session *session; /* borrowed */
    const struct lending_events *events;
    void *context;
    uv_timer_t timer;   /* runs while any event is lent, so that borrowers are heard soon */
    struct loan *first; /* one for each child that was followed */
    size_t lent_count;  /* events */
    bool is_open;
};

/* *LENDING is zeroed before. Returns 0, or libuv's error. */
int lending_init(struct lending *lending, uv_loop_t *loop, const struct session *session,
                 const struct lending_events *events, void *context);
/* Stops listening; lent events are taken back as the children are forgotten. Safe to repeat, and on
 * a zeroed one. */
void lending_close(struct lending *lending);

/* CHILD may want an event other than the one it has. If it cannot be lent, that is logged. */
void lending_follow(struct lending *lending, struct child *child);

/* CHILD has ended, has become another program, or is about to be freed. Safe to repeat. */
void lending_end(struct lending *lending, struct child *child);

/* Sampling may have been paused or resumed. */
void lending_follow_session(struct lending *lending);

/* The session is over. */
void lending_end_session(struct lending *lending);

#endif
