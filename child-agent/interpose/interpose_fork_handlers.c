/* Interposed: registering handlers of fork, which is what pthread_atfork() calls in the C library,
 * so that the agent's are registered before the first ones of the program and its libraries. */
#include <errno.h>

#include "child-agent/fork.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"

typedef void fork_handler(void);

PROFD_INTERPOSED int __register_atfork(fork_handler *prepare, fork_handler *parent,
                                       fork_handler *child, void *library);

int __register_atfork(fork_handler *prepare, fork_handler *parent, fork_handler *child,
                      void *library)
{
    typedef int register_function(fork_handler *, fork_handler *, fork_handler *, void *);
    static register_function *real;
    int saved_errno = errno;
    if (real == NULL)
        real = (register_function *)real_symbol("__register_atfork");
    (void)fork_be_first(); /* without memory the constructor fails, too, and the agent stays off */
    errno = saved_errno;
    return real(prepare, parent, child, library);
}
