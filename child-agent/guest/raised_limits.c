#include "child-agent/guest/raised_limits.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/guest/own_mappings.h"
#include "child-agent/guest/signal_lock.h"

/* What the program set, and what the kernel got for it. */
static struct raised_limit {
    int resource;
    uint64_t fixed_bytes; /* of the library */
    uint64_t (*mapped_bytes)(void);
    _Atomic bool is_raised;
    struct rlimit seen, installed;
} limits[] = {
    { .resource = RLIMIT_AS, .fixed_bytes = 1728 * 1024, .mapped_bytes = own_mappings_bytes },
    { .resource = RLIMIT_DATA,
      .fixed_bytes = 1024 * 1024,
      .mapped_bytes = own_mappings_private_bytes },
};

enum { LIMIT_COUNT = sizeof(limits) / sizeof(limits[0]) };

static struct signal_lock lock; /* the agent's handler asks for limits, too */

static struct raised_limit *find_limit(int resource)
{
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        if (limits[i].resource == resource)
            return &limits[i];
    return NULL;
}

static int kernel_limit(int resource, const struct rlimit *wanted, struct rlimit *old)
{
    return (int)syscall(SYS_prlimit64, 0, resource, wanted, old);
}

bool raised_limits_have(int resource)
{
    return find_limit(resource) != NULL;
}

bool raised_limits_have_raised(int resource)
{
    const struct raised_limit *limit = find_limit(resource);
    return limit != NULL && atomic_load(&limit->is_raised);
}

static rlim_t raised_value(rlim_t value, uint64_t own_bytes)
{
    return value > RLIM_INFINITY - own_bytes ? RLIM_INFINITY : value + own_bytes;
}

/* A hard limit that the program does not raise is not raised by us either: it may not be able
 * to. */
struct rlimit raised_limits_choose(const struct rlimit *wanted, const struct rlimit *kernel,
                                   const struct rlimit *seen, uint64_t own_bytes)
{
    struct rlimit chosen = { raised_value(wanted->rlim_cur, own_bytes),
                             raised_value(wanted->rlim_max, own_bytes) };
    if (wanted->rlim_cur > wanted->rlim_max)
        return *wanted; /* which is the kernel's error */
    if (wanted->rlim_max <= seen->rlim_max && chosen.rlim_max > kernel->rlim_max)
        chosen.rlim_max = kernel->rlim_max;
    if (chosen.rlim_cur > chosen.rlim_max)
        chosen.rlim_cur = chosen.rlim_max;
    return chosen;
}

/* What the kernel has as KERNEL, as the program set it; others may have changed it since. */
static struct rlimit seen_limit(const struct raised_limit *limit, const struct rlimit *kernel)
{
    struct rlimit seen = *kernel;
    if (!atomic_load(&limit->is_raised))
        return seen;
    if (kernel->rlim_cur == limit->installed.rlim_cur)
        seen.rlim_cur = limit->seen.rlim_cur;
    if (kernel->rlim_max == limit->installed.rlim_max)
        seen.rlim_max = limit->seen.rlim_max;
    return seen;
}

static int set_limit(struct raised_limit *limit, const struct rlimit *wanted,
                     const struct rlimit *kernel, const struct rlimit *seen)
{
    const struct rlimit installed =
        raised_limits_choose(wanted, kernel, seen, limit->mapped_bytes() + limit->fixed_bytes);
    if (kernel_limit(limit->resource, &installed, NULL) < 0)
        return -1;
    limit->seen = *wanted;
    limit->installed = installed;
    atomic_store(&limit->is_raised, true);
    return 0;
}

int raised_limits_change(int resource, const struct rlimit *wanted, struct rlimit *old)
{
    struct raised_limit *limit = find_limit(resource);
    struct rlimit kernel = { 0 }, seen;
    sigset_t before;

    signal_lock_take(&lock, &before);
    int result = kernel_limit(resource, NULL, &kernel);
    seen = seen_limit(limit, &kernel);
    if (result == 0 && wanted != NULL)
        result = set_limit(limit, wanted, &kernel, &seen);
    int call_errno = errno;
    signal_lock_release(&lock, &before);
    errno = call_errno;
    if (result == 0 && old != NULL)
        *old = seen;
    return result;
}

/* Only of the soft limit: the hard one could not be raised again. */
static void exchange_soft_limit(const struct raised_limit *limit, bool is_down)
{
    struct rlimit kernel;
    rlim_t before = is_down ? limit->installed.rlim_cur : limit->seen.rlim_cur;
    rlim_t after = is_down ? limit->seen.rlim_cur : limit->installed.rlim_cur;
    if (!atomic_load(&limit->is_raised) || kernel_limit(limit->resource, NULL, &kernel) < 0 ||
        kernel.rlim_cur != before)
        return;
    kernel.rlim_cur = after;
    (void)kernel_limit(limit->resource, &kernel, NULL); /* cannot fail below the hard limit */
}

static void exchange_soft_limits(bool is_down)
{
    int saved_errno = errno;
    for (size_t i = 0; i < LIMIT_COUNT; i++)
        exchange_soft_limit(&limits[i], is_down);
    errno = saved_errno;
}

void raised_limits_lower(void)
{
    exchange_soft_limits(true);
}

void raised_limits_raise_again(void)
{
    exchange_soft_limits(false);
}

void raised_limits_after_fork_child(void)
{
    signal_lock_reset(&lock);
}
