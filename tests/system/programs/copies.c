/* copies [ROOT]: makes children past the C library's fork, in each way that there is, each of which
 * works for a while under a name of its own, and so does one that it forks. With ROOT it goes to
 * that root directory before, as a child that shares it does for it, and each child gets a pid
 * namespace of its own. Exits with 0 when all ended well. */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

enum { STACK_BYTES = 16 * 1024 }; /* as little as some programs give */

static const double work_s = 0.1;

static int work_as(void *name)
{
    (void)prctl(PR_SET_NAME, name, 0, 0, 0);
    burn_outer(work_s);
    return 0;
}

static int work_and_fork(void *name)
{
    int status = 1;
    (void)work_as(name);
    pid_t child = fork();
    if (child == 0)
        _exit(work_as("grandchild"));
    return child > 0 && waitpid(child, &status, 0) == child ? status : 1;
}

static pid_t begin_child(const char *name, pid_t child)
{
    if (child == 0)
        _exit(work_as((char *)name));
    return child;
}

static int ended_well(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int go_to_root(void *root)
{
    return chroot(root) < 0 || chdir("/") < 0;
}

static int make_children(unsigned long flags)
{
    static _Alignas(16) char stack[STACK_BYTES];
    struct clone_args arguments = { .flags = flags, .exit_signal = SIGCHLD };
    int is_good = 1;
    if (flags == 0) {
        is_good &= ended_well(begin_child("by _Fork", _Fork()));
        is_good &= ended_well(begin_child("by fork call", (pid_t)syscall(SYS_fork)));
    }
    is_good &= ended_well(begin_child(
        "by clone call", (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, 0)));
    is_good &= ended_well(
        begin_child("by clone3 call", (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments))));
    is_good &=
        ended_well(clone(work_and_fork, stack + STACK_BYTES, (int)flags | SIGCHLD, "by clone"));
    return is_good;
}

int main(int count, char **given)
{
    static _Alignas(16) char stack[STACK_BYTES];
    burn_outer(0.02);
    if (count > 1 && !ended_well(clone(go_to_root, stack + STACK_BYTES,
                                       CLONE_FS | CLONE_VM | CLONE_VFORK | SIGCHLD, given[1])))
        return 2;
    return make_children(count > 1 ? CLONE_NEWPID : 0) ? 0 : 1;
}
