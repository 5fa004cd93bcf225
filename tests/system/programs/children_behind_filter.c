/* children_behind_filter: sets a filter that kills whoever makes one of the calls that only an
 * agent would make here, then makes children in each of the ways that there are, and waits for
 * them. They exit with 3 (fork), 5 (forked by that one), 9 (clone), 21 (_Fork), 17 and 18 (whose
 * programs do not exist, by fork and vfork), 23 (likewise, behind another filter), or become
 * true(1), false(1), echo(1), and printenv(1) (behind a further filter). */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/call_filter.h"
#include "tests/system/programs/burn.h"
#include "tests/system/programs/idle_thread.h"

static int set_filter(void)
{
    static const uint32_t forbidden[] = { SYS_membarrier,   SYS_memfd_create,    SYS_socket,
                                          SYS_timer_create, SYS_perf_event_open, SYS_getppid,
                                          SYS_readlink,     SYS_getcwd,          SYS_gettid,
                                          SYS_clock_gettime };
    return filter_calls(forbidden, sizeof(forbidden) / sizeof(forbidden[0]),
                        SECCOMP_RET_KILL_PROCESS);
}

static void await_child(pid_t child)
{
    int status = 0;
    if (child <= 0 || waitpid(child, &status, 0) != child || WIFSIGNALED(status))
        _exit(1);
}

static void fork_twice(void)
{
    pid_t child = fork();
    if (child == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            _exit(5);
        await_child(grandchild);
        _exit(3);
    }
    await_child(child);
}

/* STATUS: of a child that could not run PROGRAM. */
static void fork_and_run(const char *program, int status)
{
    pid_t child = fork();
    if (child == 0) {
        execlp(program, program, NULL);
        _exit(status);
    }
    await_child(child);
}

static void vfork_and_run(const char *program, int status)
{
    pid_t child = vfork();
    if (child == 0) {
        execl(program, program, NULL);
        _exit(status);
    }
    await_child(child);
}

static void spawn(const char *program)
{
    char *arguments[] = { (char *)program, NULL }, *environment[] = { NULL };
    pid_t child;
    if (posix_spawnp(&child, program, NULL, NULL, arguments, environment) != 0)
        _exit(1);
    await_child(child);
}

/* Which forbids what nobody needs. */
static void run_behind_mild_filter(const char *program)
{
    pid_t child = fork();
    if (child == 0) {
        if (filter_call(SYS_swapon, SECCOMP_RET_KILL_PROCESS) == 0)
            execlp(program, program, NULL);
        _exit(1);
    }
    await_child(child);
}

/* A path that is no address is for the kernel to refuse. */
static void run_nothing(void)
{
    char *arguments[] = { "nothing", NULL };
    const char *volatile no_address = (const char *)16; /* NOLINT: on purpose */
    pid_t child;
    if (execve(no_address, arguments, environ) == 0 || errno != EFAULT ||
        posix_spawn(&child, no_address, NULL, NULL, arguments, environ) != EFAULT ||
        execl("/nothing", "nothing", NULL) == 0 || errno != ENOENT)
        _exit(1);
    for (int i = 0; i < 500; i++) /* somebody may look whether this is another program */
        burn_inner();
}

/* Which changes nothing. */
static void fail_to_enter_namespace(void)
{
    if (setns(-1, 0) == 0)
        _exit(1);
}

/* Nobody may even ask who calls there. */
static void run_behind_second_filter(const char *program, int status)
{
    pid_t child = fork();
    if (child == 0) {
        if (filter_call(SYS_getpid, SECCOMP_RET_KILL_PROCESS) == 0)
            execl(program, program, NULL);
        _exit(status);
    }
    await_child(child);
}

static int return_nine(void *argument)
{
    (void)argument;
    return 9;
}

static void copy_twice(void)
{
    static _Alignas(16) uint8_t stack[64 * 1024];
    await_child(clone(return_nine, stack + sizeof(stack), SIGCHLD, NULL));
    pid_t child = _Fork();
    if (child == 0)
        _exit(21);
    await_child(child);
}

int main(void)
{
    if (idle_thread_if_wanted() != 0)
        return 1;
    burn_outer(0.02);
    if (set_filter() < 0)
        return 77;
    fail_to_enter_namespace();
    fork_twice();
    run_nothing();
    fork_and_run("true", 1);
    vfork_and_run("/bin/false", 1);
    spawn("echo");
    fork_and_run("/nothing", 17);
    vfork_and_run("/nothing", 18);
    run_behind_mild_filter("printenv");
    run_behind_second_filter("/nothing", 23);
    copy_twice();
    return 0;
}
