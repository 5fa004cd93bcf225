/* Sets of signals as the kernel has them: signal N is bit N - 1 of one word, where the C library's
 * sigset_t has room for sixteen of those. Any thread, also in signal handlers. */
#ifndef PROFD_AGENT_SIGNAL_BITS_H
#define PROFD_AGENT_SIGNAL_BITS_H

#include <signal.h>
#include <stdint.h>

/* All but those that the C library needs for itself. */
uint64_t signal_bits_all(void);

uint64_t signal_bit(int number);

uint64_t signal_bits_of(const sigset_t *set);

sigset_t signal_bits_set(uint64_t bits);

/* Adds what is in BITS to SET. */
void signal_bits_add(sigset_t *set, uint64_t bits);

/* Changes the calling thread's mask as the kernel has it, by HOW: pthread_sigmask() behind the one
 * that we interpose. Returns what it was. */
uint64_t signal_bits_change_mask(int how, uint64_t bits);

#endif
