/* Starts programs: fork, set up, exec.
 *
 * The new program gets the standard streams unchanged, descriptors from 3 on only as requested, and
 * the signal dispositions, signal mask and descriptor limit that profd itself was started with. */
#ifndef PROFD_DAEMON_SPAWN_H
#define PROFD_DAEMON_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SPAWN_MAX_FDS = 4 };

struct spawn_options {
    char *const *arguments;   /* NULL-terminated; [0] is looked up in the environment's PATH */
    char *const *environment; /* NULL: profd's own */
    const char *directory;    /* NULL: profd's own */
    int directory_fd;         /* the directory as a descriptor; 0 (which never occurs here): none */
    int output_fd;            /* becomes standard output and error; 0: profd's own */
    int fds[SPAWN_MAX_FDS];   /* become 3, 4 … */
    size_t fd_count;
    bool own_group;  /* run it in a new process group */
    int terminal_fd; /* terminal whose foreground group it becomes; -1: none */
};

/* Where a start failed, as reported by the new process. */
enum spawn_stage { SPAWN_SET_UP = 1, SPAWN_DIRECTORY = 2, SPAWN_EXEC = 3 };
struct spawn_failure {
    int stage; /* enum spawn_stage */
    int error; /* negative errno */
};

/* Called once when profd starts: remembers what it was started with, raises the descriptor limit to
 * the hard limit, and ignores signals that would end profd through no fault of its own (SIGPIPE,
 * SIGXFSZ, SIGTTOU). */
void spawn_prepare(void);

/* Starts a program. Returns 0 with *PID and *STATUS_FD (non-blocking, close-on-exec, owned by the
 * caller), which reaches its end once the program runs, or first holds a struct spawn_failure.
 * Returns a negative errno if fork or pipe failed. */
int spawn(const struct spawn_options *options, pid_t *pid, int *status_fd);

#endif
