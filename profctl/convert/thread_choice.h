/* Selects threads of a profile: by tid, by pid and tid ("1234-1240"; a thread of a process that
 * became another program is in the profile twice), by name, or by both names as in reports
 * ("postgres (1234): main thread").
 *
 * Pure; one thread. */
#ifndef PROFD_PROFCTL_THREAD_CHOICE_H
#define PROFD_PROFCTL_THREAD_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/profile/profile_walk.h"

enum { THREAD_CHOICE_TEXT_BYTES = 400 };

/* Zeroed except for WANTED. */
struct thread_choice {
    const char *wanted;                         /* borrowed; NULL: all threads */
    uint64_t chosen;                            /* selected threads that have samples */
    uint64_t others;                            /* other threads that have samples */
    uint64_t chosen_noted, others_noted;        /* how many of those are in the texts */
    char chosen_text[THREAD_CHOICE_TEXT_BYTES]; /* some of each, as "PID-TID (names), …" */
    char others_text[THREAD_CHOICE_TEXT_BYTES];
};

/* Returns whether THREAD is selected. */
bool thread_choice_takes(const struct thread_choice *choice, const struct profile_thread *thread);

/* Counts THREAD and notes its name. */
void thread_choice_count(struct thread_choice *choice, const struct profile_thread *thread);

#endif
