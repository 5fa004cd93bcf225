/* What processes that profd has not met were told to become: "PID runs PATH in a moment".
 *
 * Nearly all of them say hello soon and tell their name themselves. One that never does is known by
 * this when somebody tells how it ended. A fixed number of places: of two pids with one place the
 * later stays. One thread. */
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

/* PID becomes PATH, whatever it was. Without memory it has no name. */
void census_names_put(struct census_names *names, pid_t pid, const char *path);

/* What PID became last, which is the caller's and known here no more; NULL: unknown. */
char *census_names_take(struct census_names *names, pid_t pid);

/* Forgets all. */
void census_names_clear(struct census_names *names);

#endif
