/* Interposed: limits on memory that the program sets for itself (raised_limits.h). */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/process_memory.h"
#include "child-agent/guest/raised_limits.h"
#include "child-agent/sampler/sampling_signal.h"

/* Of the 64-bit names, which are the same here. */
#define ALSO_CALLED(name) __attribute__((alias(#name), visibility("default")))

static int kernel_call(pid_t pid, int resource, const struct rlimit *wanted, struct rlimit *old)
{
    return (int)syscall(SYS_prlimit64, pid, resource, wanted, old);
}

/* Those that may be no addresses go to the kernel, and so does all that is not about this process:
 * a child of vfork() is about to become another program. So do questions of what was never raised.
 */
static bool is_ours(pid_t pid, int resource, const struct rlimit *wanted)
{
    struct rlimit copy;
    return core.is_enabled &&
           (wanted != NULL ? raised_limits_have(resource) : raised_limits_have_raised(resource)) &&
           !atomic_load(&core.has_filter) && (pid == 0 || pid == getpid()) &&
           sampling_signal_is_own_process() &&
           (wanted == NULL || process_memory_read_argument(wanted, &copy, sizeof(copy)));
}

/* The kernel is the first to write to OLD, which may be no address. */
static int change_limit(pid_t pid, int resource, const struct rlimit *wanted, struct rlimit *old)
{
    if (!is_ours(pid, resource, wanted))
        return kernel_call(pid, resource, wanted, old);
    if (old != NULL && kernel_call(0, resource, NULL, old) < 0)
        return -1;
    return raised_limits_change(resource, wanted, old);
}

PROFD_INTERPOSED int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    return change_limit(0, (int)resource, limit, NULL);
}

PROFD_INTERPOSED int getrlimit(__rlimit_resource_t resource, struct rlimit *limit)
{
    return change_limit(0, (int)resource, NULL, limit);
}

PROFD_INTERPOSED int prlimit(pid_t pid, enum __rlimit_resource resource,
                             const struct rlimit *wanted, struct rlimit *old)
{
    return change_limit(pid, (int)resource, wanted, old);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit) ALSO_CALLED(setrlimit);
int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *limit) ALSO_CALLED(getrlimit);
int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *wanted,
              struct rlimit64 *old) ALSO_CALLED(prlimit);
