/* The life of a program that profd restarts when it ends: decides what to do when, on plain values.
 *
 *        ┌── ended, to be run again ──┐
 *        ▼                            │
 *     waiting ────────due───────▶ running ──stop──▶ stopping ──timeout──▶ killing
 *        │                            │                │                     │
 *       stop                  ended, for good        ended            ended, timeout
 *        └────────────────────────────┴────▶ over ◀────┴─────────────────────┘
 *
 * A program that keeps ending is restarted after longer and longer waits. Pure. */
#ifndef PROFD_DAEMON_PROGRAM_LIFE_H
#define PROFD_DAEMON_PROGRAM_LIFE_H

#include <stdint.h>

#include "daemon/programs/config.h"

enum {
    PROGRAM_FIRST_WAIT_MS = 100,
    PROGRAM_LAST_WAIT_MS = 30 * 1000,
    /* A program that ran for this long does not count as failing repeatedly: the waits start
     * again. */
    PROGRAM_STEADY_MS = 10 * 1000,
};

#define PROGRAM_STATES(X)                                                                          \
    X(WAITING, "waiting")                                                                          \
    X(RUNNING, "running")                                                                          \
    X(STOPPING, "stopping")                                                                        \
    X(KILLING, "killing")                                                                          \
    X(OVER, "over")

enum program_state {
#define X(name, text) PROGRAM_##name,
    PROGRAM_STATES(X)
#undef X
};
const char *program_state_name(enum program_state state);

enum program_event {
    PROGRAM_EVENT_DUE,       /* the wait is over */
    PROGRAM_EVENT_SUCCEEDED, /* it exited with 0 */
    PROGRAM_EVENT_FAILED,    /* it ended otherwise, or could not be run */
    PROGRAM_EVENT_STOP,
    PROGRAM_EVENT_TIMEOUT, /* it did not end in time */
};

enum program_action {
    PROGRAM_DO_NOTHING,
    PROGRAM_DO_START,
    PROGRAM_DO_WAIT,   /* DUE must come after wait_ms */
    PROGRAM_DO_SIGNAL, /* send its stop signal; TIMEOUT must come if it does not end */
    PROGRAM_DO_KILL,
    PROGRAM_DO_END, /* it is over */
};

struct program_life {
    enum program_state state;
    enum restart_policy policy;
    uint64_t start_ns; /* of the current run, or the last */
    uint64_t wait_ms;  /* before the next run */
    uint64_t runs;
};

/* Starts as waiting, due at once. */
void program_life_init(struct program_life *life, enum restart_policy policy);

/* EVENT happened at NOW_NS; returns what to do. An event that the state does not have (such as an
 * end that is reported twice) changes nothing. */
enum program_action program_life_move(struct program_life *life, enum program_event event,
                                      uint64_t now_ns);

#endif
