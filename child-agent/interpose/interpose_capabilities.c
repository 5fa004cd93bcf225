/* Interposed: changes of capabilities. The kernel keeps them for each thread, and the C library
 * ends a process whose threads get different answers when it changes user or group: threads of the
 * agent must have what the program's only thread has. */
#include <errno.h>
#include <stddef.h>

#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/one_thread.h"
#include "child-agent/upcalls.h"

struct capset_call {
    void *header;
    const void *data;
};

/* Declared in <sys/capability.h>, which is not part of the C library's headers. */
int capset(void *header, const void *data);

static int call_capset(void *argument)
{
    typedef int capset_function(void *, const void *);
    static capset_function *real;
    const struct capset_call *call = argument;
    if (real == NULL)
        real = (capset_function *)real_symbol("capset");
    if (real != NULL)
        return real(call->header, call->data);
    errno = ENOSYS;
    return -1;
}

PROFD_INTERPOSED int capset(void *header, const void *data)
{
    struct capset_call call = { header, data };
    upcall_end_dormancy();
    if (one_thread_is_known())
        return one_thread_around(call_capset, &call);
    return call_capset(&call);
}
