/* runs_elsewhere HOW PROGRAM: runs PROGRAM, most likely in another pid namespace than profd's. HOW:
 *     often      200 times by posix_spawn()
 *     in-vain    30 times in a forked child, with more arguments than the kernel takes
 *     confined   in a child of vfork() that may make no socket
 *     deeper     in a child of vfork(), in a pid namespace that is made here */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <spawn.h>
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
    if (strcmp(argv[1], "in-vain") == 0)
        return run_in_vain(argv[2]);
    if (strcmp(argv[1], "deeper") == 0 && unshare(CLONE_NEWPID) != 0)
        return 3;
    return run_in_copy(argv + 2, strcmp(argv[1], "confined") == 0);
}
