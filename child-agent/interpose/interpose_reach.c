/* Interposed: calls after which a dormant process (child-agent/dormancy.h) could no longer say
 * hello: as another user it may not enter profd's folder, in another root there is none. It wakes
 * before, and keeps a line to profd for the children that it will have there. */
#include <errno.h>
#include <sys/fsuid.h>
#include <unistd.h>

#include "child-agent/fork.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/upcalls.h"

/* Defines NAME, which returns an int, with PARAMETERS that are passed on as ARGUMENTS. The call
 * itself is looked for early: a forked child of many threads must not ask the loader. */
#define WAKES_BEFORE(NAME, PARAMETERS, ARGUMENTS)                                                  \
    static int(*real_##NAME) PARAMETERS;                                                           \
    __attribute__((constructor)) static void find_##NAME(void)                                     \
    {                                                                                              \
        if (real_##NAME == NULL)                                                                   \
            real_##NAME = (int(*) PARAMETERS)real_symbol(#NAME);                                   \
    }                                                                                              \
    PROFD_INTERPOSED int NAME PARAMETERS                                                           \
    {                                                                                              \
        find_##NAME();                                                                             \
        upcall_end_dormancy();                                                                     \
        return real_##NAME ARGUMENTS;                                                              \
    }

WAKES_BEFORE(setuid, (uid_t user), (user))
WAKES_BEFORE(seteuid, (uid_t user), (user))
WAKES_BEFORE(setreuid, (uid_t first, uid_t effective), (first, effective))
WAKES_BEFORE(setresuid, (uid_t first, uid_t effective, uid_t saved), (first, effective, saved))
WAKES_BEFORE(setfsuid, (uid_t user), (user))

PROFD_INTERPOSED int chroot(const char *path)
{
    typedef int chroot_function(const char *);
    static chroot_function *real;
    if (real == NULL)
        real = (chroot_function *)real_symbol("chroot");
    upcall_end_dormancy();
    int call_errno = errno;
    fork_keep_line();
    errno = call_errno;
    return real(path);
}
