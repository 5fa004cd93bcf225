/* What agents told about others, applied to the child table; and how a silent child is made. For
 * the census*.c files. Loop thread. */
#ifndef PROFD_DAEMON_CENSUS_TOLD_H
#define PROFD_DAEMON_CENSUS_TOLD_H

#include "buffer/census_ring.h"
#include "daemon/children/child_table.h"
#include "daemon/children/process_list.h"

struct child_ending;
struct census;

/* What an entry means beside what is known of its pid. */
enum census_meaning {
    CENSUS_MEANS_NOTHING,    /* it is known, or makes no sense */
    CENSUS_MEANS_NEW,        /* another image, which lives as far as is known */
    CENSUS_MEANS_LAST_WORDS, /* another image, of a process whose end was told of the one before */
    CENSUS_MEANS_NAME,       /* what a silent child is of which only the end was known */
    CENSUS_MEANS_MISTAKE,    /* the silent child is none: its program could not be run */
    CENSUS_MEANS_END,
    CENSUS_MEANS_EXEC,    /* one in which nobody would notice is about to become another program */
    CENSUS_MEANS_PROMISE, /* somebody does who will say hello, as far as is known */
    CENSUS_MEANS_NO_EXEC, /* and did not */
    CENSUS_MEANS_PRESENT, /* one that is there, and has nothing to tell */
    CENSUS_MEANS_WOKEN,   /* it has, and could not say so */
    CENSUS_MEANS_LOAN_REQUEST, /* one without a thread of ours wants another perf event */
};

/* LATEST is the latest child with the entry's pid, or NULL. Pure. */
enum census_meaning census_meaning_of(const struct child *latest, const struct census_entry *entry);

/* Adds a silent child. NULL: no memory. */
struct child *census_add(struct census *census, const struct process_sighting *sighting,
                         const char *executable, enum recording_obstacle obstacle);

/* Adds one that nobody had heard of before it ended so. Its name is what somebody told that it
 * would run, or what the kernel called it ("": not known), or that of its parent's program. */
void census_add_ended(struct census *census, const struct process_sighting *sighting,
                      const char *kernels_name, const struct child_ending *ending);

#endif
