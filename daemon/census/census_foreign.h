/* What profd calls the processes of other pid namespaces, by the numbers that they have there.
 *
 * Their programs are told of in messages, for which the kernel knows whose they are, and their ends
 * in the census ring, which is read at another time: an end may come first. The number of places is
 * fixed: of two processes with the same place, the one that was told of later stays, and an end
 * only where there is none. Pure; one thread. */
#ifndef PROFD_DAEMON_CENSUS_FOREIGN_H
#define PROFD_DAEMON_CENSUS_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "buffer/census_ring.h"

enum { CENSUS_FOREIGN_PLACES = 1024 };

struct census_foreign {
    struct census_foreign_process {
        struct census_entry name; /* as census_ring_set_foreign() makes it; its pid is 0: none */
        pid_t pid;                /* profd's; 0: not known yet, and NAME is the process's end */
    } places[CENSUS_FOREIGN_PLACES];
};

/* Notes that PID is the process that NAME, an entry of census_ring_set_foreign(), calls by another
 * number. Returns whether its end was told before, with that in *END, as CENSUS_ENDED of PID. */
bool census_foreign_learn(struct census_foreign *foreign, const struct census_entry *name,
                          pid_t pid, struct census_entry *end);

/* Makes ENTRY, a CENSUS_FOREIGN_ENDED, the CENSUS_ENDED of the process that it means. Returns false
 * if that is not known, and keeps the end. */
bool census_foreign_resolve(struct census_foreign *foreign, struct census_entry *entry);

#endif
