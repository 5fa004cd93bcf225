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
struct program;
struct programs;

struct programs_events {
    /* Starts PROGRAM as its config says: 0 with the *PID of its process, whose end
     * programs_note_ended() is told; or a negative errno, which was logged. */
    int (*launch)(struct program *program, pid_t *pid, void *context);
    /* A program is over for good; programs_have_ended() tells whether all are. */
    void (*on_over)(void *context);
};

enum {
    /* SIGKILL takes effect at once, but for a process that the kernel itself holds up. */
    PROGRAM_KILL_PATIENCE_MS = 2000,
    /* How an adopted program ended is known when its new parent has reaped it. */
    PROGRAM_STATUS_PATIENCE_MS = 1000,
};

struct program {
    struct programs *owner;
    const struct program_config *config;
    struct program_life life;
    pid_t pid;                 /* and process group; 0: it does not run */
    struct child_watch *watch; /* of an adopted one; NULL: it is our own child */
    uv_timer_t timer;          /* of its state */
};

struct programs {
    uv_loop_t *loop;
    const struct programs_events *events;
    void *context;
    const char *socket_path; /* borrowed; beside it is the file of those that run */
    const char *file;        /* of the config; borrowed; NULL: none */
    struct config config;
    struct program *list; /* config.count of them */
    bool is_open;
};

/* *PROGRAMS is zeroed: there are none. */
void programs_init(struct programs *programs, uv_loop_t *loop, const struct programs_events *events,
                   void *context);

/* Reads the config in FILE (borrowed). What went wrong was logged. */
int programs_load(struct programs *programs, const char *file);

/* Adds the one that --export URL asks for: PROFCTL with the profd at SOCKET_PATH. What went wrong
 * was logged. */
int programs_add_export(struct programs *programs, const char *profctl, const char *socket_path,
                        const char *url);

/* profd holds the lock of the socket at SOCKET_PATH (borrowed): starts or adopts the programs. What
 * went wrong was logged. */
int programs_begin(struct programs *programs, const char *socket_path);

/* What still runs is left alone. Safe without programs_begin(). */
void programs_close(struct programs *programs);
/* The loop is over. */
void programs_destroy(struct programs *programs);

/* PROGRAM's process, our child, has ended. */
void programs_note_ended(struct program *program, bool has_failed);

/* Stops all for good; on_over() tells when they are over. */
void programs_stop(struct programs *programs);

bool programs_have_ended(const struct programs *programs);

#endif
