/* The word that the macros of the API test, profd_recording, and its followers: a program or plugin
 * that has libprofd.a inside tests a word of its own, which has to say the same. */
#ifndef PROFD_AGENT_RECORDING_WORD_H
#define PROFD_AGENT_RECORDING_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* What a session records from now on, for all words. Any thread; safe in signal handlers. When
 * several set it at once, all words say in the end what the last one did. */
void recording_word_set(uint32_t bits);

/* Whether performance groups are measured. As recording_word_set(), whose bits stay. */
void recording_word_set_groups(bool is_on);

/* WORD, which is borrowed, says the same as ours from here on. 0, or -ENOSPC: there are too many.
 * Any thread. */
int recording_word_follow(volatile uint32_t *word);

/* Nobody touches WORD any more when it returns. Nothing for a word that did not follow. Any thread;
 * not in signal handlers. */
void recording_word_unfollow(volatile uint32_t *word);

/* In a forked child: nobody is setting it. */
void recording_word_after_fork_child(void);

#endif
