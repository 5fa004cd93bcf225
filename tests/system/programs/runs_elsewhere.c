/* runs_elsewhere HOW PROGRAM: runs PROGRAM, most likely in another pid namespace than profd's. HOW:
 *     often      200 times by posix_spawn()
 *     beside     as often, beside a thread that forks; 3: a copy has a descriptor of the agent's
 *     in-vain    30 times in a forked child, with more arguments than the kernel takes
 *     confined   in a child of vfork() that may make no socket
 *     deeper     in a child of vfork(), in a pid namespace that is made here */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SPAWNED = 200, FAILING = 30, TOO_LONG = 256 * 1024 };

extern char **environ;

static int end_of(pid_t pid)
{
    int status;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                           : 99;
}

static int run_often(char **arguments)
{
    for (int i = 0; i < SPAWNED; i++) {
        pid_t pid;
        if (posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) != 0 ||
            end_of(pid) != 0)
            return 1;
    }
    return 0;
}

/* Whether there is any descriptor of the agent's, which have high numbers. */
static int has_high_descriptor(void)
{
    enum { LOWEST = 850, END = 1000 };
    for (int fd = LOWEST; fd < END; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return 1;
    return 0;
}

static atomic_bool is_over;
static int forks, strangers; /* children of fork, and those that had a descriptor of the agent's */

static void *fork_again_and_again(void *argument)
{
    while (!atomic_load(&is_over)) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(has_high_descriptor());
        forks += pid > 0;
        strangers += pid > 0 && end_of(pid) != 0;
    }
    return argument;
}

static int run_beside_forks(char **arguments)
{
    enum { STRANGERS_ONE_IN = 50 }; /* without notes it is one in twenty */
    pthread_t forking;
    if (pthread_create(&forking, NULL, fork_again_and_again, NULL) != 0)
        return 1;
    int error = run_often(arguments);
    atomic_store(&is_over, true);
    pthread_join(forking, NULL);
    /* A copy may be made between what the kernel does and its note. */
    return error != 0 ? error : strangers > forks / STRANGERS_ONE_IN ? 3 : 0;
}

static int run_in_vain(const char *program)
{
    char *long_word = malloc(TOO_LONG);
    char *arguments[] = { (char *)program, long_word, NULL };
    memset(long_word, 'x', TOO_LONG - 1);
    long_word[TOO_LONG - 1] = '\0';
    for (int i = 0; i < FAILING; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            execv(program, arguments);
            _exit(0);
        }
        if (end_of(pid) != 0)
            return 1;
    }
    return 0;
}

static void forbid_sockets(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(98);
}

static int run_in_copy(char **arguments, int is_confined)
{
    pid_t pid = vfork();
    if (pid == 0) {
        if (is_confined)
            forbid_sockets();
        execv(arguments[0], arguments);
        _exit(97);
    }
    return end_of(pid);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (strcmp(argv[1], "often") == 0)
        return run_often(argv + 2);
    if (strcmp(argv[1], "beside") == 0)
        return run_beside_forks(argv + 2);
    if (strcmp(argv[1], "in-vain") == 0)
        return run_in_vain(argv[2]);
    if (strcmp(argv[1], "deeper") == 0 && unshare(CLONE_NEWPID) != 0)
        return 3;
    return run_in_copy(argv + 2, strcmp(argv[1], "confined") == 0);
}
