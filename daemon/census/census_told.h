/* Applies what agents report of other processes to the child table, and creates silent children.
 * For the census*.c files only. Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_TOLD_H
#define PROFD_DAEMON_CENSUS_TOLD_H

#include "buffer/census_ring.h"
#include "daemon/children/child_table.h"
#include "daemon/children/process_list.h"

struct child_ending;
struct census;
struct session;

/* What an entry means, given what is known of its pid. */
enum census_meaning {
    CENSUS_MEANS_NOTHING,    /* it is known already, or makes no sense */
    CENSUS_MEANS_NEW,        /* another image, which seems to be alive */
    CENSUS_MEANS_LAST_WORDS, /* another image; the end reported for the previous one was its own */
    CENSUS_MEANS_NAME,       /* the program of a silent child whose end alone was known */
    CENSUS_MEANS_MISTAKE,    /* the silent child never existed: its program could not be run */
    CENSUS_MEANS_END,
    CENSUS_MEANS_EXEC,         /* a child without an agent thread is about to call exec */
    CENSUS_MEANS_PROMISE,      /* a process calls exec, and will probably say hello */
    CENSUS_MEANS_NO_EXEC,      /* the exec failed */
    CENSUS_MEANS_PRESENT,      /* a process that exists and has recorded nothing */
    CENSUS_MEANS_LEAVING,      /* it is about to end; maybe nothing else is told of that */
    CENSUS_MEANS_WOKEN,        /* it has begun to record */
    CENSUS_MEANS_LOAN_REQUEST, /* a child without an agent thread asks for another perf event */
};

/* LATEST is the latest child with the entry's pid, or NULL. Pure. */
enum census_meaning census_meaning_of(const struct child *latest, const struct census_entry *entry);

/* Whether ENTRY belongs to SESSION, which is on: it dates from the session, or comes from a process
 * that had just started when it joined the session. Pure. */
bool census_entry_is_of_session(const struct census_entry *entry, const struct session *session);

/* Applies ENTRY, which it may change, if it was told during the session or tells of it. */
void census_take_entry(struct census *census, struct census_entry *entry);

/* Adds the process whose existence ENTRY, a CENSUS_PRESENT, reports. */
void census_add_present(struct census *census, const struct census_entry *entry);

/* Adds a silent child. NULL: out of memory. */
struct child *census_add(struct census *census, const struct process_sighting *sighting,
                         const char *executable, enum recording_obstacle obstacle);

/* Adds one that was unknown until it ended, as ENDING says; a start equal to the end means that the
 * start is not known. It is named after the program that it was reported to run, else as the kernel
 * called it (KERNELS_NAME; "": not known), else after its parent's program. */
void census_add_ended(struct census *census, const struct process_sighting *sighting,
                      const char *kernels_name, const struct child_ending *ending);

#endif
