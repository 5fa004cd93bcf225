/* Which signal asks for samples.
 *
 * SIGURG, since its default action is to be ignored. A program that uses it itself leaves us the
 * next one of that kind, SIGWINCH; one that uses both shares the first. What the user chose
 * (PROFD_SIGNAL) stays, shared if need be. Pure; any thread. */
#ifndef PROFD_AGENT_SIGNAL_CHOICE_H
#define PROFD_AGENT_SIGNAL_CHOICE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum signal_place {
    SIGNAL_AT_FIRST = 0,      /* the program uses neither */
    SIGNAL_AT_FIRST_ONLY = 1, /* the program uses the second */
    SIGNAL_AT_SECOND = 2,     /* the program uses the first */
    SIGNAL_SHARED = 3,        /* the program uses both; we have the first */
    SIGNAL_CHOSEN = 4,        /* by the user; the program does not use it */
    SIGNAL_CHOSEN_SHARED = 5, /* by the user, and the program uses it */
};

/* What a program begins to use. */
enum signal_use {
    USES_NONE_OF_OURS = 0,
    USES_FIRST = 1, /* or the one that the user chose */
    USES_SECOND = 2,
};

/* What NUMBER is, when the user chose CHOSEN (0: nothing). */
enum signal_use signal_use_of(int number, int chosen);

/* Where we are once the program, which had left us PLACE, began to use USE. */
enum signal_place signal_place_after(enum signal_place place, enum signal_use use);

/* The signal that asks for samples there. */
int signal_number_at(enum signal_place place, int chosen);

/* Those of ours that the program does not use; bit N - 1 is signal N. */
uint64_t signal_unused_at(enum signal_place place, int chosen);

/* Whether the program uses that same signal. */
bool signal_is_shared_at(enum signal_place place);

/* Whether SET has most signals in it. Libraries block them all to be left alone, and mean none of
 * them. */
bool signal_set_is_general(const sigset_t *set);

#endif
