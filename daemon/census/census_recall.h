/* After a restart, recalls processes that have recorded nothing.
 *
 * They are known only from the census ring, which the killed profd had already read, and they may
 * sleep for ever: profd would never hear of them again. The ring is shared memory that outlives
 * profd, and still has its newest entries. Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_RECALL_H
#define PROFD_DAEMON_CENSUS_RECALL_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer/census_ring.h"

struct census;

/* Whether ENTRIES[AT], one of COUNT in the order in which they were written, reports that a process
 * exists, and no later one says that the process is recording, runs another program, or has ended.
 * Pure. */
bool census_recall_is_last_word(const struct census_entry *entries, size_t count, size_t at);

/* Adds those that are alive, belong to the current session, and are not known from profd-keeper. */
void census_recall(struct census *census);

#endif
