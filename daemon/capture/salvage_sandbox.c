#include "daemon/capture/salvage_sandbox.h"

#include <errno.h>
#include <grp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NOBODY = 65534,
    SPARE_DESCRIPTORS = 2, /* a reader duplicates the arena's */
};

static int limit_resource(int resource, rlim_t value)
{
    struct rlimit limits;

    if (getrlimit(resource, &limits) < 0)
        return -errno;
    if (limits.rlim_max != RLIM_INFINITY && limits.rlim_max < value)
        value = limits.rlim_max;
    limits.rlim_cur = limits.rlim_max = value;
    return setrlimit(resource, &limits) < 0 ? -errno : 0;
}

static int limit_all(int last_fd)
{
    const struct {
        int resource;
        rlim_t value;
    } limits[] = {
        { RLIMIT_CPU, SALVAGE_CPU_SECONDS },
        { RLIMIT_CORE, 0 },
        { RLIMIT_NPROC, 0 },
        { RLIMIT_NOFILE, (rlim_t)last_fd + 1 + SPARE_DESCRIPTORS },
        { RLIMIT_FSIZE, (rlim_t)SALVAGE_OUTPUT_GIGABYTES << 30 },
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which need terabytes */
        { RLIMIT_AS, (rlim_t)SALVAGE_MEMORY_GIGABYTES << 30 },
#endif
    };
    int error = 0;

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]) && error == 0; i++)
        error = limit_resource(limits[i].resource, limits[i].value);
    return error;
}

/* Root's worker becomes nobody: it needs no file but those it was given. In a container without the
 * right to change users, root is not much, and stays. */
static int give_up_root(void)
{
    if (geteuid() != 0)
        return 0;
    if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
        setresuid(NOBODY, NOBODY, NOBODY) < 0)
        return errno == EPERM ? 0 : -errno;
    return 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* Asked by LeakSanitizer, which would look into the process from outside: it may not. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

/* Sanitizers make calls of their own, threads and signals among them. */
static int filter_system_calls(void)
{
    return 0;
}
#else
static int allow_calls(scmp_filter_ctx filter)
{
    static const int calls[] = {
        SCMP_SYS(read),         SCMP_SYS(pread64),    SCMP_SYS(write),
        SCMP_SYS(pwrite64),     SCMP_SYS(lseek),      SCMP_SYS(ftruncate),
        SCMP_SYS(fstat),        SCMP_SYS(newfstatat), SCMP_SYS(fcntl),
        SCMP_SYS(close),        SCMP_SYS(munmap),     SCMP_SYS(mremap),
        SCMP_SYS(madvise),      SCMP_SYS(brk),        SCMP_SYS(clock_gettime),
        SCMP_SYS(getrandom),    SCMP_SYS(futex),      SCMP_SYS(exit),
        SCMP_SYS(exit_group),   SCMP_SYS(getpid),     SCMP_SYS(gettid),
        SCMP_SYS(rt_sigreturn), SCMP_SYS(tgkill),     SCMP_SYS(rt_sigprocmask),
    };
    static const int memory_calls[] = { SCMP_SYS(mmap), SCMP_SYS(mprotect) };
    int error = 0;

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]) && error == 0; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
    /* Memory, but none that could be run: the third argument of both is the protection. */
    for (size_t i = 0; i < sizeof(memory_calls) / sizeof(memory_calls[0]) && error == 0; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, memory_calls[i], 1,
                                 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    return error;
}

static int filter_system_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int error = -ENOMEM;

    if (filter == NULL)
        return error;
    error = allow_calls(filter);
    if (error == 0)
        error = seccomp_load(filter);
    seccomp_release(filter);
    return error;
}
#endif

int salvage_sandbox_enter(int last_fd)
{
    int error = 0;

    if (syscall(SYS_close_range, last_fd + 1, ~0U, 0) < 0)
        error = -errno;
    if (error == 0)
        error = limit_all(last_fd);
    if (error == 0)
        error = give_up_root();
    if (error == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        error = -errno;
    if (error == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        error = -errno;
    return error == 0 ? filter_system_calls() : error;
}
