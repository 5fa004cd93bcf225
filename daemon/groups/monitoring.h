/* Performance monitoring: which measures clients ask for, and snapshots of all processes.
 *
 * It needs no session. What nobody asks for is not measured: what is asked for stands in the
 * ledger, where agents see it when they run, and those that have a thread of ours are told. A
 * client that goes asks for nothing any more. Loop thread. */
#ifndef PROFD_DAEMON_MONITORING_H
#define PROFD_DAEMON_MONITORING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/groups/group_tables.h"

struct child;
struct daemon;

struct monitoring {
    uint32_t needs; /* enum group_needs; of all clients together, and of profd itself */
    struct group_book ended;
};

/* The ledger is there, maybe with what clients of another profd asked for. */
void monitoring_open(struct daemon *profd);

/* What is needed now may have changed. */
void monitoring_follow(struct daemon *profd);

/* Writes the groups of all processes into FD, a file, from its beginning. 0 or a negative errno. */
int monitoring_write_snapshot(struct daemon *profd, int fd);

/* CHILD has ended; its arena is still here. */
void monitoring_note_ended(struct child *child);

void monitoring_close(struct daemon *profd);

#endif
