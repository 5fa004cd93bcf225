#include "profctl/http_program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* "…/libexec/profctl-http" of "…/bin/profctl". */
static int find_program(char path[PATH_MAX])
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);

    if (length < 0)
        return -errno;
    own[length] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(own, '/');
        if (slash == NULL)
            return -ENOENT;
        *slash = '\0';
    }
    int written = snprintf(path, PATH_MAX, "%s/libexec/profctl-http", own);
    return written < PATH_MAX ? 0 : -ENAMETOOLONG;
}

static int cannot_run(const char *path, int error, struct failure *failure)
{
    return (int)failure_set(failure, EXIT_CODE_FAILED, "cannot run %s: %s; install it with profctl",
                            path, strerror(-error));
}

int http_program_become(char *const *words, struct failure *failure)
{
    char path[PATH_MAX] = "profctl-http";
    int error = find_program(path);

    if (error == 0) {
        execv(path, words);
        error = -errno;
    }
    return cannot_run(path, error, failure);
}

/* --- As a child --- */

/* In a group of its own, so that all it hears from a terminal comes through us, once. */
static int spawn_program(const char *path, char *const *words, const sigset_t *mask, pid_t *pid)
{
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);

    if (error != 0)
        return -error;
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    if (error == 0)
        error = posix_spawnattr_setsigmask(&attributes, mask);
    if (error == 0)
        error = posix_spawn(pid, path, NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    return -error;
}

/* SIGNALS, which are blocked, are SIGCHLD and what is passed on. */
static int wait_for_program(pid_t pid, const sigset_t *signals)
{
    int status, number = 0;

    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status)
                                     : EXIT_CODE_SIGNAL_BASE + WTERMSIG(status);
        if (ended < 0)
            return EXIT_CODE_FAILED;
        if (sigwait(signals, &number) == 0 && number != SIGCHLD)
            kill(pid, number);
    }
}

int http_program_run(char *const *words, struct failure *failure)
{
    static const int passed_on[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
    char path[PATH_MAX] = "profctl-http";
    sigset_t signals, before;
    pid_t pid;
    int error, code = EXIT_CODE_FAILED;

    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof(passed_on) / sizeof(passed_on[0]); i++)
        sigaddset(&signals, passed_on[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    error = find_program(path);
    if (error == 0)
        error = spawn_program(path, words, &before, &pid);
    if (error == 0)
        code = wait_for_program(pid, &signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error == 0 ? code : cannot_run(path, error, failure);
}
