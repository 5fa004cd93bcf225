/* What agents report of other processes, applied to the child table; and how a silent child is
 * made. For the census*.c files. Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_TOLD_H
#define PROFD_DAEMON_CENSUS_TOLD_H

#include "buffer/census_ring.h"
#include "daemon/children/child_table.h"
#include "daemon/children/process_list.h"

struct child_ending;
struct census;
struct session;

/* What an entry means beside what is known of its pid. */
enum census_meaning {
    CENSUS_MEANS_NOTHING,    /* it is known, or makes no sense */
    CENSUS_MEANS_NEW,        /* another image, which seems to live */
    CENSUS_MEANS_LAST_WORDS, /* another image; the end reported of the one before was its end */
    CENSUS_MEANS_NAME,       /* the program of a silent child of which only the end was known */
    CENSUS_MEANS_MISTAKE,    /* the silent child never existed: its program could not be run */
    CENSUS_MEANS_END,
    CENSUS_MEANS_EXEC,         /* a child without an agent thread is about to call exec */
    CENSUS_MEANS_PROMISE,      /* a process calls exec, and will probably say hello */
    CENSUS_MEANS_NO_EXEC,      /* the exec failed */
    CENSUS_MEANS_PRESENT,      /* a process that exists and has recorded nothing */
    CENSUS_MEANS_WOKEN,        /* it has begun to record */
    CENSUS_MEANS_LOAN_REQUEST, /* a child without an agent thread asks for another perf event */
};

/* LATEST is the latest child with the entry's pid, or NULL. Pure. */
enum census_meaning census_meaning_of(const struct child *latest, const struct census_entry *entry);

/* Whether ENTRY belongs to SESSION, which is on: it is of its time, or comes from a process that
 * had just begun when it took the session up. Pure. */
bool census_entry_is_of_session(const struct census_entry *entry, const struct session *session);

/* Adds the process that ENTRY, which is CENSUS_PRESENT, reports to exist. */
void census_add_present(struct census *census, const struct census_entry *entry);

/* Adds a silent child. NULL: no memory. */
struct child *census_add(struct census *census, const struct process_sighting *sighting,
                         const char *executable, enum recording_obstacle obstacle);

/* Adds one that was unknown until it ended as ENDING says; a start that is its end is none. It is
 * named after the program that it was reported to run, or as the kernel called it ("": not known),
 * or after its parent's program. */
void census_add_ended(struct census *census, const struct process_sighting *sighting,
                      const char *kernels_name, const struct child_ending *ending);

#endif
