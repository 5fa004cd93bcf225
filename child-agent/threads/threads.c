/* The calls of profd.h about threads. */
#include "child-agent/core.h"
#include "child-agent/threads/thread_registry.h"
#include "profd.h"

int profd_register_thread(const char *name)
{
    if (!core.is_enabled)
        return 0;
    return thread_registry_register_current(name, false);
}

void profd_unregister_thread(void)
{
    thread_registry_unregister_current();
}
