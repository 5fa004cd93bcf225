/* Processes that have recorded nothing, after a restart.
 *
 * They are known from the census ring alone, which a killed profd had read, and may sleep for ever:
 * nobody would hear of them again. The ring is shared memory that outlives profd, and still has its
 * newest entries. Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_RECALL_H
#define PROFD_DAEMON_CENSUS_RECALL_H

#include <stdbool.h>
#include <stddef.h>

#include "buffer/census_ring.h"

struct census;

/* Whether ENTRIES[AT], of COUNT in the order in which they were put, reports that a process exists,
 * and none after it says that the process records, runs another program, or has ended. Pure. */
bool census_recall_is_last_word(const struct census_entry *entries, size_t count, size_t at);

/* Adds those that live, belong to the session that is on, and are not known from profd-keeper. */
void census_recall(struct census *census);

#endif
