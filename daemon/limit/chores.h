/* Chores: what profd does itself for processes without an agent thread, in which nobody hears it:
 * chunk updates, the memory controller's orders, and the end of a session.
 *
 * Loop thread. */
#ifndef PROFD_DAEMON_CHORES_H
#define PROFD_DAEMON_CHORES_H

#include <stdint.h>

struct child;
struct memory;

/* While memory is short: folds in the current chunks of such children. Does nothing if the last
 * time was too recent. */
void chores_update(struct memory *memory, uint64_t now_ns);

/* Does what an order to CHILD to destroy chunks up to DONE_NS would have done, and folds in the
 * result. */
void chores_destroy(struct memory *memory, struct child *child, uint64_t done_ns, uint64_t now_ns);

/* The session is over: frees the recordings of such children. */
void chores_end_session(struct memory *memory);

#endif
