/* Whether the profd that this process gave its arena to may not have it any more: it is over, or
 * was killed together with profd-keeper, and a next one lacks arenas. Called by whoever may change
 * the lease (agent_lease.h), one at a time. */
#ifndef PROFD_AGENT_ARENA_LOSSES_H
#define PROFD_AGENT_ARENA_LOSSES_H

#include <stdbool.h>

/* Called before the process gives its arena away. Remembers the state of which it must notice
 * changes. */
void arena_losses_note(void);

/* Returns whether the ledger is over or is another profd's, or arenas were lost since, maybe this
 * one. */
bool arena_losses_are_new(void);

#endif
