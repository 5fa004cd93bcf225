/* profd as a service of systemd: the socket that it was started with, and what it tells its
 * manager.
 *
 * The manager learns when profd serves, when it begins to end, what it is doing now, and, where the
 * service has a watchdog, that the loop still turns: the heartbeat is a timer of that loop, so a
 * loop that hangs falls silent. Without a manager ($NOTIFY_SOCKET is not set) nothing of this does
 * anything. Loop thread. */
#ifndef PROFD_DAEMON_SERVICE_H
#define PROFD_DAEMON_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

enum {
    SERVICE_STATUS_BYTES = 160,
    /* How often what profd is doing is told where no watchdog wants to hear more often. */
    SERVICE_STATUS_MS = 10 * 1000,
};

struct service_events {
    /* Writes what OWNER is doing now into OUT, one line for people. */
    void (*describe)(char out[SERVICE_STATUS_BYTES], void *owner);
};

struct service {
    const struct service_events *events;
    void *owner;
    uv_timer_t heartbeat;
    bool has_manager;
    bool has_watchdog;
    bool has_heartbeat;                /* the timer is there, to be closed */
    char status[SERVICE_STATUS_BYTES]; /* that the manager was told */
};

/* The listening socket that the manager started this process with: *FD, the caller's; -1 when there
 * is none. The environment says so only once: programs that profd runs do not see it. Before any
 * thread is started. 0; -E2BIG when there are several, all of which stay open; or an errno of
 * looking. */
int service_take_socket(int *fd);

/* EVENTS and OWNER must outlive SERVICE, which is all zeros. A manager hears nothing yet, but the
 * heartbeat runs. 0, or a negative errno: then there is nothing to close. */
int service_open(struct service *service, uv_loop_t *loop, const struct service_events *events,
                 void *owner);

/* profd serves: its socket is open. */
void service_tell_ready(struct service *service);

/* What profd does has changed; the manager is told if the line is another one. */
void service_tell_status(struct service *service);

/* profd begins to end: the last that the manager hears. Safe to repeat. */
void service_close(struct service *service);

#endif
