#include "child-agent/guest/named_mutex.h"

#include "buffer/clock.h"

enum { SOON_NS = 20 * 1000 * 1000 };

bool named_mutex_lock_polling(struct named_mutex *mutex)
{
    const struct timespec deadline = clock_timespec(clock_monotonic_ns() + SOON_NS);
    return named_mutex_lock_until(mutex, &deadline);
}

#ifdef PROFD_CHECK_LOCKS

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread uint32_t held; /* by the calling thread: bits, by order */

static const char *name_of(enum lock_order order)
{
    static const char *const names[] = {
#define X(name, text) text,
        LOCKS(X)
#undef X
    };
    return names[order];
}

static int32_t own_tid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

static uint32_t bit_of(const struct named_mutex *mutex)
{
    return 1u << mutex->order;
}

static _Noreturn void abort_over_mutex(const struct named_mutex *mutex, const char *what,
                                       const char *other)
{
    char line[128];
    int length = snprintf(line, sizeof(line), "profd: mutex \"%s\" %s%s\n", name_of(mutex->order),
                          what, other);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        abort();
    abort();
}

void named_mutex_check_lock_(const struct named_mutex *mutex)
{
    if (held & bit_of(mutex))
        abort_over_mutex(mutex, "is locked twice by one thread", "");
    uint32_t inner = held >> mutex->order;
    if (inner != 0)
        abort_over_mutex(mutex, "is locked by a thread that has ",
                         name_of(mutex->order + (unsigned)__builtin_ctz(inner)));
}

void named_mutex_note_locked_(struct named_mutex *mutex)
{
    atomic_store(&mutex->owner, own_tid());
    held |= bit_of(mutex);
}

void named_mutex_note_unlock_(struct named_mutex *mutex)
{
    named_mutex_check_held_(mutex);
    atomic_store(&mutex->owner, 0);
    held &= ~bit_of(mutex);
}

void named_mutex_note_reset_(struct named_mutex *mutex)
{
    atomic_store(&mutex->owner, 0);
    held &= ~bit_of(mutex);
}

void named_mutex_check_held_(const struct named_mutex *mutex)
{
    if (!(held & bit_of(mutex)) || atomic_load(&mutex->owner) != own_tid())
        abort_over_mutex(mutex, "is not held by the thread that needs it", "");
}

#endif
