/* Starting a program: fork, set up, exec.
 *
 * The new program gets standard streams as they are, descriptors 3 and up only as asked for, and
 * the signal dispositions, mask and descriptor limit that profd itself was started with. */
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
    int directory_fd;         /* the same as a descriptor; 0, which is never one here: none */
    int output_fd;            /* becomes standard output and error; 0: profd's own */
    int fds[SPAWN_MAX_FDS];   /* become 3, 4 … */
    size_t fd_count;
    bool own_group;  /* a process group of its own */
    int terminal_fd; /* whose foreground that group becomes; -1: none */
};

/* Where a start failed, as the new process reports it. */
enum spawn_stage { SPAWN_SET_UP = 1, SPAWN_DIRECTORY = 2, SPAWN_EXEC = 3 };
struct spawn_failure {
    int stage; /* enum spawn_stage */
    int error; /* negative errno */
};

/* Once, at profd's start: remembers what it was started with, raises the descriptor limit to the
 * hard one, and ignores what would end profd for others' faults (SIGPIPE, SIGXFSZ, SIGTTOU). */
void spawn_prepare(void);

/* 0 with *PID; *STATUS_FD (non-blocking, close-on-exec, the caller's) reaches its end when the
 * program runs, or holds a struct spawn_failure first. Negative: fork or pipe failed. */
int spawn(const struct spawn_options *options, pid_t *pid, int *status_fd);

#endif
