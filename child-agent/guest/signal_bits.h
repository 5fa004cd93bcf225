/* Sets of signals as the kernel stores them: signal N is bit N - 1 of one word, whereas the C
 * library's sigset_t has room for sixteen words. Any thread, also in signal handlers. */
#ifndef PROFD_AGENT_SIGNAL_BITS_H
#define PROFD_AGENT_SIGNAL_BITS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns all signals except those that the C library needs for itself. */
uint64_t signal_bits_all(void);

uint64_t signal_bit(int number);

uint64_t signal_bits_of(const sigset_t *set);

sigset_t signal_bits_set(uint64_t bits);

/* Returns BITS without those that nobody can block, as the kernel keeps a set. */
uint64_t signal_bits_blockable(uint64_t bits);

/* Adds the signals in BITS to SET. */
void signal_bits_add(sigset_t *set, uint64_t bits);

/* Returns whether the calling thread blocks no signal. Then it is surely in no handler, whose
 * signal would be blocked. */
bool signal_bits_are_none_blocked(void);

/* Changes the calling thread's kernel mask as HOW says, like pthread_sigmask() but without the
 * agent's interposed version. Returns the previous mask. */
uint64_t signal_bits_change_mask(int how, uint64_t bits);

#endif
