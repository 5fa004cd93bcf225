/* Processes of other pid namespaces, whose ends are told by identity (common/pidfd.h), since their
 * numbers mean nothing here.
 *
 * What programs they run is told in messages, for which the kernel knows whose they are, and how
 * they ended in the census ring, which is read at another time: an end may come first. The numbers
 * of places are fixed: of two with the same place, the later one stays. Pure; one thread. */
#ifndef PROFD_DAEMON_CENSUS_FOREIGN_H
#define PROFD_DAEMON_CENSUS_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct census_entry;

enum { CENSUS_FOREIGN_PROCESSES = 4096, CENSUS_FOREIGN_ENDS = 4096 /* as in the ring */ };

struct census_foreign {
    struct census_foreign_process {
        uint64_t identity; /* 0: none */
        pid_t pid, parent_pid;
    } processes[CENSUS_FOREIGN_PROCESSES];
    struct census_foreign_end {
        uint64_t identity; /* 0: none */
        uint64_t time_ns, cpu_ns;
        int wait_status;
    } ends[CENSUS_FOREIGN_ENDS]; /* of processes that are not known, or not yet */
};

/* Notes what the pids of PROCESS are here. Nothing if its identity is not known (0). IS_SURE:
 * nobody else can have told of it; otherwise what is known already stays. */
void census_foreign_learn(struct census_foreign *foreign,
                          const struct census_foreign_process *process, bool is_sure);

/* Returns the pid here of the process with IDENTITY; 0: not known. */
pid_t census_foreign_find(const struct census_foreign *foreign, uint64_t identity);

/* Makes ENTRY, a CENSUS_FOREIGN_ENDED, the CENSUS_ENDED of the process that it means. Returns false
 * if that is not known, and keeps the end. */
bool census_foreign_resolve(struct census_foreign *foreign, struct census_entry *entry);

/* Returns whether the end of the process with IDENTITY has been kept, and removes it: *END is it as
 * a CENSUS_FOREIGN_ENDED. */
bool census_foreign_take_end(struct census_foreign *foreign, uint64_t identity,
                             struct census_entry *end);

#endif
