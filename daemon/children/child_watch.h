/* Waits on the event loop for the end of one process that need not be profd's own child.
 *
 * Two events are reported: the end (all threads are gone, and the memory too), and the wait status,
 * which the kernel provides once the parent has reaped the process. They may come together. Loop
 * thread. */
#ifndef PROFD_DAEMON_CHILD_WATCH_H
#define PROFD_DAEMON_CHILD_WATCH_H

#include <uv.h>

struct child_watch;

struct child_watch_events {
    void (*on_ended)(void *owner);
    /* The last callback, after on_ended: the process was reaped. WAIT_STATUS is NULL if this kernel
     * does not provide it; watching on would be of no use. */
    void (*on_status)(const int *wait_status, void *owner);
};

/* Watches the process of PIDFD, which is taken over on every path. Callbacks come from the loop.
 * Returns 0 with *OUT, or a negative errno. */
int child_watch_start(uv_loop_t *loop, int pidfd, const struct child_watch_events *events,
                      void *owner, struct child_watch **out);

/* Returns the borrowed descriptor, for use with daemon/children/pidfd.h. */
int child_watch_pidfd(const struct child_watch *watch);

/* Makes OWNER the recipient of further callbacks. */
void child_watch_set_owner(struct child_watch *watch, void *owner);

/* Stops callbacks, and frees WATCH later, from the loop. NULL is allowed. */
void child_watch_stop(struct child_watch *watch);

#endif
