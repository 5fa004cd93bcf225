/* Performance monitoring: which measures are asked for, and snapshots of all processes.
 *
 * It needs no session. What nobody asks for is not measured: what is asked for stands in the
 * ledger, where agents see it when they run, and those that have a thread of ours are told. Loop
 * thread. */
#ifndef PROFD_DAEMON_MONITORING_H
#define PROFD_DAEMON_MONITORING_H

#include <stdint.h>

#include "daemon/groups/group_tables.h"

struct child;
struct child_table;
struct lease_ledger;

struct monitoring {
    const struct child_table *children; /* borrowed, as the ledger */
    const struct lease_ledger *ledger;
    uint32_t needs; /* enum group_needs; of all clients together, and of profd itself */
    struct group_book ended;
};

/* *MONITORING is zeroed. Nothing is needed; LEDGER need not be open yet. */
void monitoring_init(struct monitoring *monitoring, const struct child_table *children,
                     const struct lease_ledger *ledger);
/* Safe to repeat, and on a zeroed one. */
void monitoring_close(struct monitoring *monitoring);

/* The ledger is there, maybe with what clients of another profd asked for: NEEDS are those of now.
 */
void monitoring_open(struct monitoring *monitoring, uint32_t needs);

/* NEEDS are those of now; who listens is told if that is news. */
void monitoring_follow(struct monitoring *monitoring, uint32_t needs);

/* Writes the groups of all processes into FD, a file, from its beginning. 0 or a negative errno;
 * -EINVAL when it is no file. */
int monitoring_write_snapshot(struct monitoring *monitoring, int fd);

/* CHILD has ended; its arena is still here. */
void monitoring_note_ended(struct monitoring *monitoring, const struct child *child);

#endif
