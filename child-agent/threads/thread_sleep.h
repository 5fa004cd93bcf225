/* Whether a thread has reported that it sleeps, and whether the sampler has seen it asleep: a
 * sleeping thread is looked at once. */
#ifndef PROFD_AGENT_THREAD_SLEEP_H
#define PROFD_AGENT_THREAD_SLEEP_H

#include <stdatomic.h>
#include <stdbool.h>

enum thread_sleep {
    THREAD_AWAKE = 0,
    THREAD_ASLEEP = 1,      /* fell asleep after the sampler's last look */
    THREAD_ASLEEP_SEEN = 2, /* the sampler has looked at it since then */
};

/* Returns whether the sampler should look at a thread. For a sleeping thread the answer is true
 * once, and then false until the thread wakes. */
static inline bool thread_sleep_lets_look(_Atomic enum thread_sleep *sleep)
{
    enum thread_sleep seen = THREAD_ASLEEP;
    if (atomic_load_explicit(sleep, memory_order_relaxed) == THREAD_AWAKE)
        return true;
    /* A thread that wakes at this moment stays awake. */
    return atomic_compare_exchange_strong(sleep, &seen, THREAD_ASLEEP_SEEN) || seen == THREAD_AWAKE;
}

/* Called when the sampler has not seen the thread asleep, whatever it has looked at. */
static inline void thread_sleep_forget_look(_Atomic enum thread_sleep *sleep)
{
    enum thread_sleep seen = THREAD_ASLEEP_SEEN;
    atomic_compare_exchange_strong(sleep, &seen, THREAD_ASLEEP);
}

#endif
