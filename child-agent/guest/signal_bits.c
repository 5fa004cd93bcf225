#include "child-agent/guest/signal_bits.h"

#include <string.h>

#include "child-agent/guest/real_calls.h"

uint64_t signal_bits_all(void)
{
    sigset_t all;
    sigfillset(&all);
    return signal_bits_of(&all);
}

uint64_t signal_bit(int number)
{
    return UINT64_C(1) << (number - 1);
}

uint64_t signal_bits_of(const sigset_t *set)
{
    uint64_t bits;
    memcpy(&bits, set, sizeof(bits));
    return bits;
}

sigset_t signal_bits_set(uint64_t bits)
{
    sigset_t set;
    sigemptyset(&set);
    memcpy(&set, &bits, sizeof(bits));
    return set;
}

uint64_t signal_bits_blockable(uint64_t bits)
{
    return bits & ~(signal_bit(SIGKILL) | signal_bit(SIGSTOP));
}

bool signal_bits_are_none_blocked(void)
{
    sigset_t mask;
    return real_pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0 && sigisemptyset(&mask);
}

void signal_bits_add(sigset_t *set, uint64_t bits)
{
    bits |= signal_bits_of(set);
    memcpy(set, &bits, sizeof(bits));
}

uint64_t signal_bits_change_mask(int how, uint64_t bits)
{
    const sigset_t set = signal_bits_set(bits);
    sigset_t before = set;
    (void)real_pthread_sigmask(how, &set, &before); /* fails only for what is no mask */
    return signal_bits_of(&before);
}
