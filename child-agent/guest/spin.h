/* Waits between two attempts to take a lock that is held for a few system calls. Makes no system
 * call behind a filter, where sched_yield may be forbidden. Any thread, also in signal handlers. */
#ifndef PROFD_AGENT_SPIN_H
#define PROFD_AGENT_SPIN_H

#include <sched.h>
#include <stdatomic.h>

#include "child-agent/core.h"

static inline void spin_once(void)
{
    if (atomic_load(&core.has_filter))
        __builtin_ia32_pause();
    else
        (void)sched_yield();
}

#endif
