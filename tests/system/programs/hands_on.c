/* hands_on WAY: ignores SIGURG, blocks SIGWINCH among nearly all other signals, and runs by WAY
 * (exec, fork, vfork, spawn, or fork in handlers on signal stacks of several sizes) programs that
 * print what they inherited. When the program cannot be run at first, all is as before. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static char *const arguments[] = { "grep", "-E", "SigBlk|SigIgn", "/proc/self/status", NULL };
static char *const environment[] = { "PROFD_DISABLE=1", "PATH=/usr/bin:/bin", NULL };

/* By a child, or the process itself. */
static int run(const char *way)
{
    pid_t pid = -1;
    int status;

    if (strcmp(way, "exec") == 0)
        execve("/bin/grep", arguments, environment);
    else if (strcmp(way, "spawn") == 0)
        errno = posix_spawn(&pid, "/bin/grep", NULL, NULL, arguments, environment);
    else
        pid = strcmp(way, "vfork") == 0 ? vfork() : fork(); /* NOLINT: one way of several */
    if (pid == 0) {
        execve("/bin/grep", arguments, environment);
        _exit(1);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static void on_signal(int number)
{
    (void)number;
    if (run("fork") != 0)
        _exit(5);
}

/* Some have no room for more than the handler, and some for nearly all that we do. */
static int run_in_handlers(void)
{
    static _Alignas(16) char stack[16 * 1024];
    const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
    if (sigaction(SIGUSR1, &action, NULL) < 0)
        return -1;
    for (size_t bytes = 8 * 1024; bytes <= sizeof(stack); bytes += 4 * 1024) {
        const stack_t own = { .ss_sp = stack, .ss_size = bytes };
        if (sigaltstack(&own, NULL) < 0 || raise(SIGUSR1) != 0)
            return -1;
    }
    return 0;
}

static bool is_as_it_was(void)
{
    struct sigaction action;
    sigset_t mask;

    return sigaction(SIGURG, NULL, &action) == 0 && action.sa_handler == SIG_IGN &&
           sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGWINCH) == 1 &&
           sigismember(&mask, SIGURG) == 1;
}

int main(int argc, char **argv)
{
    const struct sigaction ignored = { .sa_handler = SIG_IGN, .sa_flags = SA_SIGINFO };
    sigset_t all;

    if (argc != 2)
        return 2;
    sigaction(SIGURG, &ignored, NULL);
    sigfillset(&all);
    sigdelset(&all, SIGUSR1);
    sigprocmask(SIG_SETMASK, &all, NULL);
    burn_outer(0.05);
    if (execve("/nowhere/program", arguments, environment) == 0 || !is_as_it_was())
        return 3;
    burn_outer(0.05);
    int result = strcmp(argv[1], "handler") == 0 ? run_in_handlers() : run(argv[1]);
    if (result != 0 || !is_as_it_was())
        return 4;
    burn_outer(0.05);
    return 0;
}
