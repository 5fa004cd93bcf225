/* Interposed: waiting for children, to tell profd how they ended and how much CPU they used, which
 * for a child without an agent only its parent can. The kernel gives both with the same call, so
 * the others are made as wait4; waitid, which the C library has without it, tells no CPU time.
 * Results are passed through as they are. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "child-agent/census.h"
#include "child-agent/interpose/interpose.h"
#include "child-agent/interpose/real_calls.h"

typedef pid_t wait4_function(pid_t, int *, int, struct rusage *);
typedef int waitid_function(idtype_t, id_t, siginfo_t *, int);

static wait4_function *real_wait4;
static waitid_function *real_waitid;

/* Early: these are called by signal handlers, where the loader must not be asked. */
__attribute__((constructor)) static void find_real(void)
{
    if (real_wait4 == NULL)
        real_wait4 = (wait4_function *)real_symbol("wait4");
    if (real_waitid == NULL)
        real_waitid = (waitid_function *)real_symbol("waitid");
}

/* Who waits for threads as well, a debugger, learns the ends of those that it traces. */
static bool is_end_of_process(int wait_status, int options)
{
    return (WIFEXITED(wait_status) || WIFSIGNALED(wait_status)) && !(options & (__WALL | __WCLONE));
}

PROFD_INTERPOSED pid_t wait4(pid_t pid, int *wait_status, int options, struct rusage *usage)
{
    struct rusage own_usage;
    int own_status = 0;
    int *status = wait_status != NULL ? wait_status : &own_status;

    if (real_wait4 == NULL)
        find_real();
    if (usage == NULL)
        usage = &own_usage;
    pid_t ended = real_wait4(pid, status, options, usage);
    if (ended > 0 && is_end_of_process(*status, options))
        census_tell_ended((struct profd_process_id){ ended }, *status, usage);
    return ended;
}

PROFD_INTERPOSED pid_t wait3(int *wait_status, int options, struct rusage *usage)
{
    return wait4(-1, wait_status, options, usage);
}

PROFD_INTERPOSED pid_t waitpid(pid_t pid, int *wait_status, int options)
{
    return wait4(pid, wait_status, options, NULL);
}

PROFD_INTERPOSED pid_t wait(int *wait_status)
{
    return wait4(-1, wait_status, 0, NULL);
}

/* As a wait status; false when it tells of no end. */
static bool wait_status_of(const siginfo_t *info, int *wait_status)
{
    switch (info->si_code) {
    case CLD_EXITED:
        *wait_status = W_EXITCODE(info->si_status & 0xff, 0);
        return true;
    case CLD_KILLED:
        *wait_status = W_EXITCODE(0, info->si_status);
        return true;
    case CLD_DUMPED:
        *wait_status = W_EXITCODE(0, info->si_status) | WCOREFLAG;
        return true;
    default:
        return false;
    }
}

PROFD_INTERPOSED int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own_info = { 0 };
    int wait_status;

    if (real_waitid == NULL)
        find_real();
    if (info == NULL)
        info = &own_info;
    int result = real_waitid(type, id, info, options);
    if (result == 0 && !(options & (WNOWAIT | __WALL | __WCLONE)) && info->si_pid > 0 &&
        wait_status_of(info, &wait_status))
        census_tell_ended((struct profd_process_id){ info->si_pid }, wait_status, NULL);
    return result;
}
