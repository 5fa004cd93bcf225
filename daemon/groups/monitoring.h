/* Performance monitoring: what must be measured of groups, and snapshots of all processes.
 *
 * It needs no session. Only what somebody asks for is measured: it is written into the ledger,
 * where agents see it when they run; those with a thread are also told. Loop thread. */
#ifndef PROFD_DAEMON_MONITORING_H
#define PROFD_DAEMON_MONITORING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/groups/group_tables.h"

struct child;
struct child_table;
struct lease_ledger;

/* What is needed of groups, by whom. */
struct monitoring_demand {
    uint32_t of_profd;   /* enum group_needs; as it was started */
    uint32_t of_clients; /* of all of them together */
    bool is_of_session;  /* the session has the feature of groups */
    bool is_of_triggers; /* a trigger looks at groups */
};

struct monitoring {
    const struct child_table *children; /* borrowed, as the ledger */
    const struct lease_ledger *ledger;
    uint32_t needs; /* enum group_needs; of all together */
    struct group_book ended;
};

/* *MONITORING is zeroed before. Nothing is needed at first. LEDGER need not be open yet. */
void monitoring_init(struct monitoring *monitoring, const struct child_table *children,
                     const struct lease_ledger *ledger);
/* Safe to repeat, and on a zeroed one. */
void monitoring_close(struct monitoring *monitoring);

/* The ledger is open, and may hold the needs of a previous profd's clients: replaces them by
 * DEMAND. */
void monitoring_open(struct monitoring *monitoring, const struct monitoring_demand *demand);

/* The demand is now DEMAND. Tells agents with a thread if that changes what is needed. */
void monitoring_follow(struct monitoring *monitoring, const struct monitoring_demand *demand);

/* Writes the groups of all processes to FD, a file, from its start. Returns 0 or a negative errno;
 * -EINVAL if FD is not a file. */
int monitoring_write_snapshot(struct monitoring *monitoring, int fd);

/* CHILD has ended; its arena is still here. */
void monitoring_note_ended(struct monitoring *monitoring, const struct child *child);

#endif
