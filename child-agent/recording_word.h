/* The word that the macros of the API test, profd_recording, and its followers. A program or plugin
 * that contains libprofd.a tests a word of its own, which must always have the same value. */
#ifndef PROFD_AGENT_RECORDING_WORD_H
#define PROFD_AGENT_RECORDING_WORD_H

#include <stdbool.h>
#include <stdint.h>

/* Sets what the session records from now on, in all words. Any thread; async-signal-safe. When
 * several threads set it at once, all words end up with the last value. */
void recording_word_set(uint32_t bits);

/* Sets whether performance groups are measured. Like recording_word_set(), whose bits are kept. */
void recording_word_set_groups(bool is_on);

/* Makes WORD (borrowed) follow the agent's word from now on. Returns 0, or -ENOSPC if there are too
 * many followers. Any thread. */
int recording_word_follow(volatile uint32_t *word);

/* Stops WORD from following. Nothing accesses WORD any more when this returns. Does nothing for a
 * word that does not follow. Any thread; not in signal handlers. */
void recording_word_unfollow(volatile uint32_t *word);

/* Called in a forked child, where no thread is setting the word. */
void recording_word_after_fork_child(void);

#endif
