#include "child-agent/upcalls.h"

#include <errno.h>
#include <stddef.h>

static const struct upcalls *upcalls;

void upcalls_begin(const struct upcalls *table)
{
    upcalls = table;
}

void upcall_wake(void)
{
    if (upcalls != NULL)
        upcalls->wake();
}

void upcall_ensure_thread(void)
{
    if (upcalls != NULL)
        upcalls->ensure_thread();
}

void upcall_end_threads(void)
{
    if (upcalls != NULL)
        upcalls->end_threads();
}

int upcall_make_arena(void)
{
    return upcalls != NULL ? upcalls->make_arena() : -ENOSYS;
}

void upcall_look_for_session(void)
{
    if (upcalls != NULL)
        upcalls->look_for_session();
}

void upcall_begin_messages(void)
{
    if (upcalls != NULL)
        upcalls->begin_messages();
}

void upcall_take_tick(const siginfo_t *info, void *context)
{
    if (upcalls != NULL)
        upcalls->take_tick(info, context);
}
