/* The life of a program that profd runs again when it ends: what to do when, as plain values.
 *
 *        ┌── ended, to be run again ──┐
 *        ▼                            │
 *     waiting ────────due───────▶ running ──stop──▶ stopping ──timeout──▶ killing
 *        │                            │                │                     │
 *       stop                  ended, for good        ended            ended, timeout
 *        └────────────────────────────┴────▶ over ◀────┴─────────────────────┘
 *
 * A program that keeps ending is run again after longer and longer waits. Pure. */
#ifndef PROFD_DAEMON_PROGRAM_LIFE_H
#define PROFD_DAEMON_PROGRAM_LIFE_H

#include <stdint.h>

#include "daemon/programs/config.h"

enum {
    PROGRAM_FIRST_WAIT_MS = 100,
    PROGRAM_LAST_WAIT_MS = 30 * 1000,
    /* One that ran for so long is not failing again and again: the waits begin anew. */
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
    PROGRAM_EVENT_DUE,       /* the time to wait is over */
    PROGRAM_EVENT_SUCCEEDED, /* it exited with 0 */
    PROGRAM_EVENT_FAILED,    /* it ended in another way, or could not be run */
    PROGRAM_EVENT_STOP,
    PROGRAM_EVENT_TIMEOUT, /* it has not ended in time */
};

enum program_action {
    PROGRAM_DO_NOTHING,
    PROGRAM_DO_START,
    PROGRAM_DO_WAIT,   /* then DUE comes, after wait_ms */
    PROGRAM_DO_SIGNAL, /* its stop signal; TIMEOUT comes when that has no effect */
    PROGRAM_DO_KILL,
    PROGRAM_DO_END, /* it is over */
};

struct program_life {
    enum program_state state;
    enum restart_policy policy;
    uint64_t start_ns; /* of the present run, or the last */
    uint64_t wait_ms;  /* before the next */
    uint64_t runs;
};

/* Waiting, due at once. */
void program_life_init(struct program_life *life, enum restart_policy policy);

/* EVENT happened at NOW_NS; returns what to do. An event that the state does not know (an end that
 * is told twice) changes nothing. */
enum program_action program_life_move(struct program_life *life, enum program_event event,
                                      uint64_t now_ns);

#endif
