/* The programs that processes unknown to profd were reported to be about to run.
 *
 * Nearly all of them soon say hello and give their names themselves. One that never does is named
 * by this when its end is reported. The number of places is fixed: of two pids with the same place,
 * the later one stays. One thread. */
#ifndef PROFD_DAEMON_CENSUS_NAMES_H
#define PROFD_DAEMON_CENSUS_NAMES_H

#include <sys/types.h>

enum { CENSUS_NAMES = 1024 };

struct census_names {
    struct census_name {
        pid_t pid;  /* 0: none */
        char *path; /* owned */
    } places[CENSUS_NAMES];
};

/* Notes that PID becomes PATH, in place of what it was. If memory is short, it has no name. */
void census_names_put(struct census_names *names, pid_t pid, const char *path);

/* Removes and returns what PID became last, which the caller owns; NULL: not known. */
char *census_names_take(struct census_names *names, pid_t pid);

/* Forgets all. */
void census_names_clear(struct census_names *names);

#endif
