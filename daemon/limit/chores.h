/* Chores: what agents do for others by themselves, profd does for processes in which nobody hears
 * it: their chunk updates, what the memory controller orders, and the end of a session.
 *
 * Loop thread. */
#ifndef PROFD_DAEMON_CHORES_H
#define PROFD_DAEMON_CHORES_H

#include <stdint.h>

struct child;
struct memory;

/* While memory is short: folds in what the chunks of such children are now. Not more often than is
 * worth its while. */
void chores_update(struct memory *memory, uint64_t now_ns);

/* Does what an order to CHILD would have done, up to DONE_NS, and tells of it. */
void chores_destroy(struct memory *memory, struct child *child, uint64_t done_ns, uint64_t now_ns);

/* The session is over: frees what such children recorded in it. */
void chores_end_session(struct memory *memory);

#endif
