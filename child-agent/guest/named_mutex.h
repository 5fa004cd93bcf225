/* Mutexes with a name and a place in the single order in which the agent's locks nest.
 *
 * A checked build (PROFD_CHECK_LOCKS: make DEBUG=1, or with SAN) aborts, with the names on standard
 * error, if a mutex is locked by its owner or against the order, unlocked by another thread, or
 * required but not held. Other builds use plain pthread_mutex_t. Not in signal handlers, unless
 * stated otherwise. */
#ifndef PROFD_AGENT_NAMED_MUTEX_H
#define PROFD_AGENT_NAMED_MUTEX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* All locks. A thread that holds one may lock those below it. Fork takes several, in this order. */
#define LOCKS(X)                                                                                   \
    X(PROGRAM, "calls of the program")    /* a call of profd_session.h is in progress */           \
    X(AGENT, "agent")                     /* a message of profd is carried out */                  \
    X(MARKER_STACKS, "stacks of markers") /* a thread unwinds its own stack */                     \
    X(SITES, "sites")                     /* numbers of labels and markers */                      \
    X(SAMPLER, "sampler")                 /* a tick */                                             \
    X(EVENT_DELAYS, "event delays")       /* idle clocks are called, or changed */                 \
    X(REGISTRY, "thread registry")                                                                 \
    X(GROUPS, "performance groups") /* their table */                                              \
    X(COUNTERS, "counters")         /* the list of counters */                                     \
    X(UPDATES, "chunk updates")     /* updates that profd has not received */                      \
    X(AFTER_SAMPLING, "calls after sampling")

enum lock_order {
#define X(name, text) LOCK_##name,
    LOCKS(X)
#undef X
        LOCK_COUNT
};

struct named_mutex {
    pthread_mutex_t mutex;
    enum lock_order order;
    _Atomic int32_t owner; /* tid; 0: nobody. Only in checked builds */
};

#define NAMED_MUTEX_INITIALIZER(NAME)                                                              \
    {                                                                                              \
        .mutex = PTHREAD_MUTEX_INITIALIZER, .order = LOCK_##NAME                                   \
    }

#ifdef PROFD_CHECK_LOCKS
void named_mutex_check_lock_(const struct named_mutex *mutex);
void named_mutex_note_locked_(struct named_mutex *mutex);
void named_mutex_note_unlock_(struct named_mutex *mutex);
void named_mutex_note_reset_(struct named_mutex *mutex);
void named_mutex_check_held_(const struct named_mutex *mutex);
#else
static inline void named_mutex_check_lock_(const struct named_mutex *mutex)
{
    (void)mutex;
}
static inline void named_mutex_note_locked_(struct named_mutex *mutex)
{
    (void)mutex;
}
static inline void named_mutex_note_unlock_(struct named_mutex *mutex)
{
    (void)mutex;
}
static inline void named_mutex_note_reset_(struct named_mutex *mutex)
{
    (void)mutex;
}
static inline void named_mutex_check_held_(const struct named_mutex *mutex)
{
    (void)mutex;
}
#endif

static inline void named_mutex_lock(struct named_mutex *mutex)
{
    named_mutex_check_lock_(mutex);
    pthread_mutex_lock(&mutex->mutex);
    named_mutex_note_locked_(mutex);
}

/* Returns false if another thread has it. */
static inline bool named_mutex_try_lock(struct named_mutex *mutex)
{
    named_mutex_check_lock_(mutex);
    if (pthread_mutex_trylock(&mutex->mutex) != 0)
        return false;
    named_mutex_note_locked_(mutex);
    return true;
}

/* Like named_mutex_try_lock(), for a signal handler, which may have interrupted the owner. */
static inline bool named_mutex_try_lock_in_handler(struct named_mutex *mutex)
{
    if (pthread_mutex_trylock(&mutex->mutex) != 0)
        return false;
    named_mutex_note_locked_(mutex);
    return true;
}

/* Returns whether nobody has it. For signal handlers, which may have interrupted the owner. */
static inline bool named_mutex_is_free_in_handler(struct named_mutex *mutex)
{
    if (pthread_mutex_trylock(&mutex->mutex) != 0)
        return false;
    pthread_mutex_unlock(&mutex->mutex);
    return true;
}

/* Returns false if another thread has it until DEADLINE (CLOCK_MONOTONIC). */
static inline bool named_mutex_lock_until(struct named_mutex *mutex,
                                          const struct timespec *deadline)
{
    named_mutex_check_lock_(mutex);
    if (pthread_mutex_clocklock(&mutex->mutex, CLOCK_MONOTONIC, deadline) != 0)
        return false;
    named_mutex_note_locked_(mutex);
    return true;
}

/* Locks MUTEX, but waits for it only a short, limited time. Returns whether it was locked. For fork
 * and the end of the process: the owner could be waiting for a lock that the calling thread holds,
 * such as the dynamic loader's or malloc's. */
bool named_mutex_lock_polling(struct named_mutex *mutex);

static inline void named_mutex_unlock(struct named_mutex *mutex)
{
    named_mutex_note_unlock_(mutex);
    pthread_mutex_unlock(&mutex->mutex);
}

/* Asserts that the calling thread holds it. */
static inline void named_mutex_assert_held(const struct named_mutex *mutex)
{
    named_mutex_check_held_(mutex);
}

/* Resets MUTEX in a forked child, where nobody holds it, whoever did in the parent. */
static inline void named_mutex_reset(struct named_mutex *mutex)
{
    named_mutex_note_reset_(mutex);
    pthread_mutex_init(&mutex->mutex, NULL);
}

#endif
