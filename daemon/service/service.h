/* profd as a systemd service: the socket that it was started with, and what it reports to the
 * service manager.
 *
 * The manager is told when profd is ready, when it begins to stop, what it is doing and, if the
 * service has a watchdog, that the loop is alive: the heartbeat is a timer of that loop, so it
 * stops if the loop hangs. Without a manager ($NOTIFY_SOCKET is not set) none of this has any
 * effect. Loop thread. */
#ifndef PROFD_DAEMON_SERVICE_H
#define PROFD_DAEMON_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

enum {
    SERVICE_STATUS_BYTES = 160,
    /* How often the status is reported, unless a watchdog requires it more often. */
    SERVICE_STATUS_MS = 10 * 1000,
};

struct service_events {
    /* Writes one line for people to OUT that says what OWNER is doing. */
    void (*describe)(char out[SERVICE_STATUS_BYTES], void *owner);
};

struct service {
    const struct service_events *events;
    void *owner;
    uv_timer_t heartbeat;
    bool has_manager;
    bool has_watchdog;
    bool has_heartbeat;                /* the timer exists, and must be closed */
    char status[SERVICE_STATUS_BYTES]; /* as last reported */
};

/* Takes the listening socket that the manager started this process with: *FD, which the caller
 * owns; -1: there is none. Removes it from the environment, so that programs that profd runs do not
 * see it. To be called before any thread is started. Returns 0; -E2BIG if there are several, which
 * all stay open; or a negative errno of the search. */
int service_take_socket(int *fd);

/* EVENTS and OWNER must outlive SERVICE, which is zeroed before. Starts the heartbeat; nothing is
 * reported to the manager yet. Returns 0, or a negative errno: then there is nothing to close. */
int service_open(struct service *service, uv_loop_t *loop, const struct service_events *events,
                 void *owner);

/* profd is ready: its socket is open. */
void service_tell_ready(struct service *service);

/* What profd is doing may have changed: tells the manager if the line is different. */
void service_tell_status(struct service *service);

/* profd begins to stop; nothing is reported to the manager after this. Safe to repeat. */
void service_close(struct service *service);

#endif
