/* Interposed: fork(), whose steps are handlers (fork.h). Where there is no place for one more
 * process, the agent's threads make it. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "child-agent/core.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/guest/signal_bits.h"
#include "child-agent/task_places.h"

typedef pid_t fork_function(void);

static fork_function *real_fork;

/* Early: a forked child of many threads must not ask the loader. */
__attribute__((constructor)) static void find_real(void)
{
    if (real_fork == NULL)
        real_fork = (fork_function *)real_symbol("fork");
}

/* What a handler of a signal interrupted may hold what it takes to end threads. */
PROFD_INTERPOSED pid_t fork(void)
{
    find_real();
    pid_t child = real_fork();
    if (child >= 0 || errno != EAGAIN || atomic_load(&core.has_filter) ||
        !signal_bits_are_none_blocked() || !task_places_leave())
        return child;
    child = real_fork();
    if (child != 0)
        task_places_return(child > 0);
    return child;
}
