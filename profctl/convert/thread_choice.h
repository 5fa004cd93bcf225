/* Which thread of a profile is meant: by its tid, by pid and tid ("1234-1240": one that became
 * another program is there twice), by its name, or by both names as reports have them ("postgres
 * (1234): main thread").
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_THREAD_CHOICE_H
#define PROFD_PROFCTL_THREAD_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/profile/profile_walk.h"

enum { THREAD_CHOICE_TEXT_BYTES = 400 };

/* Zeroed but for WANTED. */
struct thread_choice {
    const char *wanted;                         /* borrowed; NULL: all threads */
    uint64_t chosen;                            /* threads that are meant and have samples */
    uint64_t others;                            /* threads that are not, and have samples */
    uint64_t chosen_noted, others_noted;        /* of those, in the texts */
    char chosen_text[THREAD_CHOICE_TEXT_BYTES]; /* some of each, as "PID-TID (names), …" */
    char others_text[THREAD_CHOICE_TEXT_BYTES];
};

/* Whether THREAD is meant. */
bool thread_choice_takes(const struct thread_choice *choice, const struct profile_thread *thread);

/* Counts THREAD and notes its name. */
void thread_choice_count(struct thread_choice *choice, const struct profile_thread *thread);

#endif
