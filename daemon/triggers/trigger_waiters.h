/* Clients that requested a capture and wait for it: each for one cause, until the worker that
 * writes the capture is done. Loop thread. */
#ifndef PROFD_DAEMON_TRIGGER_WAITERS_H
#define PROFD_DAEMON_TRIGGER_WAITERS_H

#include <stdint.h>

struct client;
struct trigger_waiter;

/* A zeroed struct has none. */
struct trigger_waiters {
    struct trigger_waiter *first;
};

enum trigger_waiters_kind {
    WAITERS_UNSERVED, /* no worker is writing for them */
    WAITERS_SERVED,
};

/* Answers request ID of CLIENT. */
typedef void trigger_waiters_answer(struct client *client, uint64_t id, void *context);

/* CLIENT (borrowed), with request ID, waits for a capture of CAUSE. Returns 0 or -ENOMEM. */
int trigger_waiters_add(struct trigger_waiters *waiters, struct client *client, uint64_t id,
                        const char *cause);

/* A worker has begun that serves the clients that wait for CAUSE. */
void trigger_waiters_serve(struct trigger_waiters *waiters, const char *cause);

/* Removes all waiters of KIND, and calls ANSWER for each. */
void trigger_waiters_release(struct trigger_waiters *waiters, enum trigger_waiters_kind kind,
                             trigger_waiters_answer *answer, void *context);

/* CLIENT has disconnected: removes it. */
void trigger_waiters_forget(struct trigger_waiters *waiters, const struct client *client);

#endif
