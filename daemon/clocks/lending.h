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
struct daemon;

struct lending {
    uv_timer_t timer;  /* runs while anything is lent: who borrows is heard soon */
    size_t lent_count; /* events */
    bool is_open;
};

/* 0, or the error of libuv. */
int lending_init(struct daemon *profd);
void lending_close(struct daemon *profd);

/* CHILD may want another event than it has. */
void lending_follow(struct child *child);

/* CHILD has ended, or become another program. Safe to repeat. */
void lending_end(struct child *child);

/* Sampling may have been paused, or gone on. */
void lending_follow_session(struct daemon *profd);

/* The session is over. */
void lending_end_session(struct daemon *profd);

#endif
