/* Interposed: waiting for children, to tell profd how they ended and how much CPU time they used,
 * which for a child without an agent only its parent can.
 *
 * What the kernel tells of a child that was reaped has in it the children that it waited for; its
 * own clock, which has not, is gone with it. So the call waits without reaping (WNOWAIT), reads the
 * clock of the one that was found, and then reaps that one, which never blocks. When another thread
 * or a signal handler was faster, it begins anew, as the bare call would go on waiting. Results are
 * passed through as they are. */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "buffer/process_clock.h"
#include "child-agent/census.h"
#include "child-agent/groups/loop_watch.h"
#include "child-agent/guest/interpose.h"
#include "child-agent/guest/real_calls.h"
#include "child-agent/interpose/interpose_waits.h"
#include "child-agent/resting.h"

typedef pid_t wait4_function(pid_t, int *, int, struct rusage *);
typedef int waitid_function(idtype_t, id_t, siginfo_t *, int);

/* Others may be faster so often; then the bare call decides, and what the child used is lost. */
enum { MOST_LOOKS = 1000 };

/* Who asks for more wants threads too, as a debugger does, learns the ends of those that it traces,
 * or is told that there is no such option. */
enum { USUAL_OPTIONS = WNOHANG | WSTOPPED | WCONTINUED | __WNOTHREAD };

static wait4_function *real_wait4;
static waitid_function *real_waitid;
static atomic_bool is_plain;

/* Early: these are called by signal handlers, where the loader must not be asked. */
__attribute__((constructor)) static void find_real(void)
{
    if (real_wait4 == NULL)
        real_wait4 = (wait4_function *)real_symbol("wait4");
    if (real_waitid == NULL)
        real_waitid = (waitid_function *)real_symbol("waitid");
}

void interpose_waits_plainly(void)
{
    atomic_store(&is_plain, true);
}

/* Whether calls that the program does not make itself may be made, and are of use. */
static bool may_look(void)
{
    return !atomic_load_explicit(&is_plain, memory_order_relaxed) && census_has_listener();
}

/* The wait status of what INFO tells; false when it tells of no end. */
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

/* A child of which there is something to tell, not reaped yet. */
struct finding {
    pid_t pid; /* 0: none */
    bool has_ended;
    int wait_status;
    uint64_t cpu_ns, identity;
};

static struct finding finding_of(const siginfo_t *info)
{
    struct finding found = { .pid = info->si_pid, .cpu_ns = PROCESS_CLOCK_UNKNOWN };

    found.has_ended = found.pid > 0 && wait_status_of(info, &found.wait_status);
    if (found.has_ended) {
        found.cpu_ns = process_clock_ns(found.pid);
        found.identity = census_identity_of((struct profd_process_id){ found.pid });
    }
    return found;
}

static void report_end(const struct finding *found)
{
    const struct census_end end = { .process = { found->pid },
                                    .wait_status = found->wait_status,
                                    .cpu_ns = found->cpu_ns,
                                    .identity = found->identity };
    if (found->has_ended)
        census_report_ended(&end);
}

/* Of a child that was reaped unseen. */
static void report_unseen_end(pid_t pid, int wait_status)
{
    const struct census_end end = { .process = { pid },
                                    .wait_status = wait_status,
                                    .cpu_ns = PROCESS_CLOCK_UNKNOWN };
    census_report_ended(&end);
}

/* --- wait4 and those that are the same with less --- */

/* Whom wait4's PID means, in waitid's words. False: nobody. */
static bool wait_target(pid_t pid, idtype_t *type, id_t *id)
{
    *type = pid > 0 ? P_PID : pid == -1 ? P_ALL : P_PGID;
    *id = (id_t)(pid > 0 ? pid : pid == -1 ? 0 : -pid);
    return pid != INT_MIN;
}

/* True when *RESULT is that of the call; false: the bare call is to be made. */
static bool look_and_reap(pid_t pid, int *wait_status, int options, struct rusage *usage,
                          pid_t *result)
{
    idtype_t type;
    id_t id;

    if ((options & ~USUAL_OPTIONS) != 0 || !wait_target(pid, &type, &id))
        return false;
    for (int i = 0; i < MOST_LOOKS; i++) {
        siginfo_t info = { 0 };
        *result = real_waitid(type, id, &info, options | WEXITED | WNOWAIT);
        if (*result < 0)
            return errno == EINTR || errno == ECHILD;
        struct finding found = finding_of(&info);
        if (found.pid == 0)
            return true; /* WNOHANG: nothing to tell */
        *result = real_wait4(found.pid, wait_status, options | WNOHANG, usage);
        if (*result == found.pid)
            report_end(&found);
        if (*result > 0 || (*result < 0 && errno != ECHILD))
            return true;
    }
    return false;
}

static pid_t wait_plainly(pid_t pid, int *wait_status, int options, struct rusage *usage)
{
    int own_status = 0;
    int *status = wait_status != NULL ? wait_status : &own_status;
    pid_t ended = real_wait4(pid, status, options, usage);

    if (ended > 0 && (WIFEXITED(*status) || WIFSIGNALED(*status)) &&
        !(options & (__WALL | __WCLONE)))
        report_unseen_end(ended, *status);
    return ended;
}

static pid_t wait_and_tell(pid_t pid, int *wait_status, int options, struct rusage *usage)
{
    int call_errno = errno;
    pid_t result;

    if (real_wait4 == NULL || real_waitid == NULL)
        find_real();
    if (!may_look() || !look_and_reap(pid, wait_status, options, usage, &result)) {
        errno = call_errno;
        return wait_plainly(pid, wait_status, options, usage);
    }
    if (result >= 0)
        errno = call_errno;
    return result;
}

PROFD_INTERPOSED pid_t wait4(pid_t pid, int *wait_status, int options, struct rusage *usage)
{
    resting_note_wait();
    enum watched_wait wait = blocked_watch_begin();
    pid_t result = wait_and_tell(pid, wait_status, options, usage);
    blocked_watch_end(wait);
    return result;
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

/* --- waitid --- */

/* The same for waitid. INFO is the program's where it has one: on errors too, the kernel writes
 * there. */
static bool look_and_reap_id(idtype_t type, id_t id, siginfo_t *info, int options, int *result)
{
    if ((options & ~USUAL_OPTIONS) != WEXITED)
        return false;
    for (int i = 0; i < MOST_LOOKS; i++) {
        *result = real_waitid(type, id, info, options | WNOWAIT);
        if (*result < 0)
            return errno != EFAULT;
        struct finding found = finding_of(info);
        if (found.pid == 0)
            return true;
        bool is_one = type != P_ALL && type != P_PGID;
        *result = real_waitid(is_one ? type : P_PID, is_one ? id : (id_t)found.pid, info,
                              options | WNOHANG);
        if (*result == 0 && info->si_pid == found.pid) {
            report_end(&found);
            return true;
        }
        if (*result < 0 && errno != ECHILD)
            return true;
    }
    return false;
}

static int wait_id_plainly(idtype_t type, id_t id, siginfo_t *info, int options)
{
    int result = real_waitid(type, id, info, options);
    int wait_status;

    if (result == 0 && !(options & (WNOWAIT | __WALL | __WCLONE)) && info->si_pid > 0 &&
        wait_status_of(info, &wait_status))
        report_unseen_end(info->si_pid, wait_status);
    return result;
}

static int wait_id_and_tell(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own_info = { 0 };
    int call_errno = errno, result;

    if (real_waitid == NULL)
        find_real();
    if (info == NULL)
        info = &own_info;
    if (!may_look() || !look_and_reap_id(type, id, info, options, &result)) {
        errno = call_errno;
        return wait_id_plainly(type, id, info, options);
    }
    if (result == 0)
        errno = call_errno;
    return result;
}

PROFD_INTERPOSED int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    resting_note_wait();
    enum watched_wait wait = blocked_watch_begin();
    int result = wait_id_and_tell(type, id, info, options);
    blocked_watch_end(wait);
    return result;
}

/* --- Waits inside of the C library --- */

/* The C library reaps these by itself, so of their ends only profd can tell. */
PROFD_INTERPOSED int system(const char *command)
{
    typedef int system_function(const char *);
    static system_function *real;
    if (real == NULL)
        real = (system_function *)real_symbol("system");
    resting_note_wait();
    enum watched_wait wait = blocked_watch_begin();
    int result = real(command);
    blocked_watch_end(wait);
    return result;
}

PROFD_INTERPOSED int pclose(FILE *stream)
{
    typedef int pclose_function(FILE *);
    static pclose_function *real;
    if (real == NULL)
        real = (pclose_function *)real_symbol("pclose");
    resting_note_wait();
    enum watched_wait wait = blocked_watch_begin();
    int result = real(stream);
    blocked_watch_end(wait);
    return result;
}
