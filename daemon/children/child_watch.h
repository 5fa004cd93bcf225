/* Waits on the event loop for the end of one process that need not be profd's own child.
 *
 * Two moments are told: the end (all its threads are gone, its memory too), and the wait status,
 * which the kernel gives when the parent has reaped it; they may come together. Loop thread. */
#ifndef PROFD_DAEMON_CHILD_WATCH_H
#define PROFD_DAEMON_CHILD_WATCH_H

#include <uv.h>

struct child_watch;

struct child_watch_events {
    void (*on_ended)(void *owner);
    /* The last call-back, after on_ended: the process was reaped. WAIT_STATUS is NULL when this
     * kernel cannot tell; there is no use in watching on. */
    void (*on_status)(const int *wait_status, void *owner);
};

/* Takes over PIDFD on every path. Call-backs come from the loop. */
int child_watch_start(uv_loop_t *loop, int pidfd, const struct child_watch_events *events,
                      void *owner, struct child_watch **out);

/* Borrowed, for questions to daemon/children/pidfd.h. */
int child_watch_pidfd(const struct child_watch *watch);

/* Further call-backs are for OWNER. */
void child_watch_set_owner(struct child_watch *watch, void *owner);

/* No more call-backs; frees WATCH later, from the loop. NULL is fine. */
void child_watch_stop(struct child_watch *watch);

#endif
