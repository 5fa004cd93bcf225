/* The programs of `profd --config`: starts them, restarts them by their policies, and stops them at
 * the end.
 *
 * Each runs as a command (command.h) in a process group of its own, without the terminal. A file
 * beside the socket says which are running, so that a profd that takes the place of a killed one
 * adopts those instead of starting them twice. Loop thread. */
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
    /* Starts PROGRAM as its config says. Returns 0 with the *PID of its process, whose end must be
     * passed to programs_note_ended(); or a negative errno, which has been logged. */
    int (*launch)(struct program *program, pid_t *pid, void *context);
    /* A program is over for good; programs_have_ended() says whether all are. */
    void (*on_over)(void *context);
};

enum {
    /* SIGKILL takes effect at once, unless the process is blocked in the kernel. */
    PROGRAM_KILL_PATIENCE_MS = 2000,
    /* How an adopted program ended becomes known when its new parent reaps it. */
    PROGRAM_STATUS_PATIENCE_MS = 1000,
};

struct program {
    struct programs *owner;
    const struct program_config *config;
    struct program_life life;
    pid_t pid;                 /* and process group; 0: it is not running */
    struct child_watch *watch; /* of an adopted one; NULL: our own child */
    uv_timer_t timer;          /* for its current state */
};

struct programs {
    uv_loop_t *loop;
    const struct programs_events *events;
    void *context;
    const char *socket_path; /* borrowed; the file of running programs is beside it */
    const char *file;        /* of the config; borrowed; NULL: none */
    struct config config;
    struct program *list; /* config.count of them */
    bool is_open;
};

/* *PROGRAMS is zeroed before. There are no programs at first. */
void programs_init(struct programs *programs, uv_loop_t *loop, const struct programs_events *events,
                   void *context);

/* Reads the config in FILE (borrowed). Returns 0, or a negative errno, which has been logged. */
int programs_load(struct programs *programs, const char *file);

/* Adds the program of --export URL: PROFCTL, for the profd at SOCKET_PATH. Returns 0, or a negative
 * errno, which has been logged. */
int programs_add_export(struct programs *programs, const char *profctl, const char *socket_path,
                        const char *url);

/* profd now holds the lock of the socket at SOCKET_PATH (borrowed): starts or adopts the programs.
 * Returns 0, or a negative errno, which has been logged. */
int programs_begin(struct programs *programs, const char *socket_path);

/* Closes timers and watches; programs that are still running are left alone. Safe without
 * programs_begin(). */
void programs_close(struct programs *programs);
/* Frees everything, after the loop has ended. */
void programs_destroy(struct programs *programs);

/* PROGRAM's process, our child, has ended. */
void programs_note_ended(struct program *program, bool has_failed);

/* Returns whether NAME, of a program, is that of --export: it is part of profd. */
bool programs_is_export(const char *name);

/* Returns whether PID is that of a running program of --export. */
bool programs_runs_export(const struct programs *programs, pid_t pid);

/* Stops all programs for good; on_over comes as they end. */
void programs_stop(struct programs *programs);

bool programs_have_ended(const struct programs *programs);

#endif
