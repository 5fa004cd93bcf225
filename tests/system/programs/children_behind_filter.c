/* children_behind_filter: sets a filter that kills whoever makes one of the calls that only an
 * agent would make here, then makes children in each of the ways that there are, and waits for
 * them. They exit with 3 (fork), 5 (forked by that one), 9 (clone), 21 (_Fork), 17 and 18 (whose
 * programs do not exist, by fork and vfork), 23 (likewise, behind another filter), or become
 * true(1), false(1) and echo(1). */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static int set_filter(const unsigned *forbidden, size_t count)
{
    enum { MOST = 16 };
    struct sock_filter filter[2 * MOST + 2] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                         offsetof(struct seccomp_data, nr)) };
    unsigned short length = 1;
    for (size_t i = 0; i < count; i++) {
        filter[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = { .len = length, .filter = filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int set_first_filter(void)
{
    static const unsigned forbidden[] = { SYS_membarrier,   SYS_memfd_create,    SYS_socket,
                                          SYS_timer_create, SYS_perf_event_open, SYS_getppid,
                                          SYS_readlink,     SYS_getcwd,          SYS_gettid,
                                          SYS_clock_gettime };
    return set_filter(forbidden, sizeof(forbidden) / sizeof(forbidden[0]));
}

/* A child's own: nobody may even ask who calls. */
static int set_second_filter(void)
{
    static const unsigned forbidden[] = { SYS_getpid };
    return set_filter(forbidden, 1);
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

/* Programs that exist, and one that does not. */
static void run_programs(void)
{
    static char *arguments[] = { "echo", NULL }, *environment[] = { NULL };
    pid_t child = fork();
    if (child == 0) {
        execlp("true", "true", NULL);
        _exit(1);
    }
    await_child(child);
    child = vfork();
    if (child == 0) {
        execl("/bin/false", "false", NULL);
        _exit(1);
    }
    await_child(child);
    if (posix_spawnp(&child, "echo", NULL, NULL, arguments, environment) != 0)
        _exit(1);
    await_child(child);
    child = fork();
    if (child == 0) {
        execl("/nothing", "nothing", NULL);
        _exit(17);
    }
    await_child(child);
    child = vfork();
    if (child == 0) {
        execl("/nothing", "nothing", NULL);
        _exit(18);
    }
    await_child(child);
    child = fork();
    if (child == 0) {
        if (set_second_filter() == 0)
            execl("/nothing", "nothing", NULL);
        _exit(23);
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
    burn_outer(0.02);
    if (set_first_filter() < 0)
        return 77;
    fork_twice();
    run_programs();
    copy_twice();
    return 0;
}
