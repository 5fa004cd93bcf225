/* The choice of the signal that asks for samples.
 *
 * It is SIGURG, which is ignored by default. If the program uses that itself, the agent moves to
 * the next one of that kind, SIGWINCH; if the program uses both, the agent shares the first. A
 * signal that the user chose (PROFD_SIGNAL) stays, shared if necessary. Pure; any thread. */
#ifndef PROFD_AGENT_SIGNAL_CHOICE_H
#define PROFD_AGENT_SIGNAL_CHOICE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum signal_place {
    SIGNAL_AT_FIRST = 0,      /* the program uses neither */
    SIGNAL_AT_FIRST_ONLY = 1, /* the program uses the second */
    SIGNAL_AT_SECOND = 2,     /* the program uses the first */
    SIGNAL_SHARED = 3,        /* the program uses both; the agent has the first */
    SIGNAL_CHOSEN = 4,        /* by the user; the program does not use it */
    SIGNAL_CHOSEN_SHARED = 5, /* by the user; the program uses it, too */
};

/* What the program begins to use. */
enum signal_use {
    USES_NONE_OF_OURS = 0,
    USES_FIRST = 1, /* or the signal that the user chose */
    USES_SECOND = 2,
};

/* Returns what NUMBER is when the user chose CHOSEN (0: nothing). */
enum signal_use signal_use_of(int number, int chosen);

/* Returns the place after the program, which had left the agent PLACE, has begun to use USE. */
enum signal_place signal_place_after(enum signal_place place, enum signal_use use);

/* Returns the signal that asks for samples at PLACE. */
int signal_number_at(enum signal_place place, int chosen);

/* Returns those of the agent's signals that the program does not use; bit N - 1 is signal N. */
uint64_t signal_unused_at(enum signal_place place, int chosen);

/* Returns whether the program uses the same signal. */
bool signal_is_shared_at(enum signal_place place);

/* Returns whether SET contains most signals. Libraries block all signals to be left alone, and mean
 * none of them in particular. */
bool signal_set_is_general(const sigset_t *set);

#endif
