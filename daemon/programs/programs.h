/* The programs of `profd --config`: started, started again as they want it, stopped at the end.
 *
 * Each runs as a command (command.h) in a process group of its own, without the terminal. Which of
 * them run is kept beside the socket: a profd that takes the place of a killed one adopts those
 * that live instead of starting them twice. Loop thread. */
#ifndef PROFD_DAEMON_PROGRAMS_H
#define PROFD_DAEMON_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <uv.h>

#include "daemon/programs/config.h"
#include "daemon/programs/program_life.h"

struct child_watch;
struct daemon;

enum {
    /* SIGKILL takes effect at once, but for a process that the kernel itself holds up. */
    PROGRAM_KILL_PATIENCE_MS = 2000,
    /* How an adopted program ended is known when its new parent has reaped it. */
    PROGRAM_STATUS_PATIENCE_MS = 1000,
};

struct program {
    struct daemon *profd;
    const struct program_config *config;
    struct program_life life;
    pid_t pid;                 /* and process group; 0: it does not run */
    struct child_watch *watch; /* of an adopted one; NULL: it is our own child */
    uv_timer_t timer;          /* of its state */
};

struct programs {
    struct config config;
    struct program *list; /* config.count of them */
    bool is_open;
};

/* Reads the config in FILE. An option has precedence over it. What went wrong was logged. */
int programs_load(struct daemon *profd, const char *file);

/* profd holds the lock of its socket: starts or adopts the programs of the config, and the one that
 * --export asks for. What went wrong was logged. */
int programs_begin(struct daemon *profd);

/* What still runs is left alone. */
void programs_close(struct daemon *profd);
/* The loop is over. */
void programs_destroy(struct daemon *profd);

/* PROGRAM's process, our child, has ended. */
void programs_note_ended(struct program *program, bool has_failed);

/* Stops all for good; the supervisor is told when they are over. */
void programs_stop(struct daemon *profd);

bool programs_are_over(const struct daemon *profd);

#endif
