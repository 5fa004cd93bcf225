/* Interposed: calls after which a dormant process (child-agent/dormancy.h) could no longer say
 * hello: as another user it may not enter profd's folder, in another root there is none. It wakes
 * before, and keeps a line to profd for the children that it will have there. */
#include <sys/fsuid.h>
#include <unistd.h>

#include "child-agent/fork.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/upcalls.h"

/* Defines NAME, which returns an int, with PARAMETERS that are passed on as ARGUMENTS, and calls
 * PREPARE first. The call itself is looked for early: a forked child of many threads must not ask
 * the loader. */
#define PREPARES_BEFORE(NAME, PARAMETERS, ARGUMENTS, PREPARE)                                      \
    static int(*real_##NAME) PARAMETERS;                                                           \
    __attribute__((constructor)) static void find_##NAME(void)                                     \
    {                                                                                              \
        if (real_##NAME == NULL)                                                                   \
            real_##NAME = (int(*) PARAMETERS)real_symbol(#NAME);                                   \
    }                                                                                              \
    PROFD_INTERPOSED int NAME PARAMETERS                                                           \
    {                                                                                              \
        find_##NAME();                                                                             \
        PREPARE();                                                                                 \
        return real_##NAME ARGUMENTS;                                                              \
    }
#define WAKES_BEFORE(NAME, PARAMETERS, ARGUMENTS)                                                  \
    PREPARES_BEFORE(NAME, PARAMETERS, ARGUMENTS, upcall_end_dormancy)

WAKES_BEFORE(setuid, (uid_t user), (user))
WAKES_BEFORE(seteuid, (uid_t user), (user))
WAKES_BEFORE(setreuid, (uid_t first, uid_t effective), (first, effective))
WAKES_BEFORE(setresuid, (uid_t first, uid_t effective, uid_t saved), (first, effective, saved))
WAKES_BEFORE(setfsuid, (uid_t user), (user))
PREPARES_BEFORE(chroot, (const char *path), (path), fork_prepare_for_other_root)
