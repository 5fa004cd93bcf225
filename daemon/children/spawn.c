#include "daemon/children/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/exec_failure.h"

enum {
    FIRST_PASSED_FD = 3,
    /* Where descriptors are parked while they are moved: above all that they move to. */
    PARKED_FD = FIRST_PASSED_FD + SPAWN_MAX_FDS + 1,
};

/* What profd was started with. */
static struct {
    struct rlimit descriptors;
    sigset_t mask;
    bool is_ignored[NSIG];
} original;

void spawn_prepare(void)
{
    static const int ignored[] = { SIGPIPE, SIGXFSZ, SIGTTOU };

    sigprocmask(SIG_SETMASK, NULL, &original.mask);
    for (int i = 1; i < NSIG; i++) {
        struct sigaction action;
        original.is_ignored[i] = sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    }
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);

    if (getrlimit(RLIMIT_NOFILE, &original.descriptors) == 0) {
        struct rlimit raised = { original.descriptors.rlim_max, original.descriptors.rlim_max };
        setrlimit(RLIMIT_NOFILE, &raised); /* when refused, fewer children fit: they are told so */
    }
}

/* --- In the new process: only what is safe between fork and exec --- */

static void restore_original(void)
{
    for (int i = 1; i < NSIG; i++)
        signal(i, original.is_ignored[i] ? SIG_IGN : SIG_DFL);
    if (original.descriptors.rlim_max != 0)
        setrlimit(RLIMIT_NOFILE, &original.descriptors);
}

/* The passed descriptors may be among those that they replace: park all, then place all. */
static int place_descriptors(const struct spawn_options *options)
{
    int parked[SPAWN_MAX_FDS];

    for (size_t i = 0; i < options->fd_count; i++) {
        parked[i] = fcntl(options->fds[i], F_DUPFD_CLOEXEC, PARKED_FD);
        if (parked[i] < 0)
            return -errno;
    }
    for (size_t i = 0; i < options->fd_count; i++) {
        if (dup2(parked[i], FIRST_PASSED_FD + (int)i) < 0)
            return -errno;
    }
    return 0;
}

static int take_group(const struct spawn_options *options)
{
    if (!options->own_group)
        return 0;
    if (setpgid(0, 0) < 0)
        return -errno;
    /* Without the foreground the program still runs, stopped by its first read of the terminal. */
    if (options->terminal_fd >= 0)
        tcsetpgrp(options->terminal_fd, getpid());
    return 0;
}

static void report_failure(int status_fd, enum spawn_stage stage, int error)
{
    struct spawn_failure failure = { stage, error };
    ssize_t written = write(status_fd, &failure, sizeof(failure));
    (void)written; /* profd has gone: nobody asks */
    _exit(127);
}

/* Before others are placed, perhaps on their numbers. */
static int place_output(const struct spawn_options *options)
{
    if (options->output_fd <= 0)
        return 0;
    if (dup2(options->output_fd, STDOUT_FILENO) < 0 || dup2(options->output_fd, STDERR_FILENO) < 0)
        return -errno;
    return 0;
}

static void become_program(const struct spawn_options *options, int status_fd)
{
    int error = take_group(options);
    if (error == 0)
        error = place_output(options);
    if (error == 0 && options->directory_fd > 0 && fchdir(options->directory_fd) < 0)
        report_failure(status_fd, SPAWN_DIRECTORY, -errno);
    if (error == 0) {
        status_fd = fcntl(status_fd, F_DUPFD_CLOEXEC, PARKED_FD + SPAWN_MAX_FDS);
        error = status_fd < 0 ? -errno : place_descriptors(options);
    }
    if (error < 0)
        report_failure(status_fd, SPAWN_SET_UP, error);
    if (options->directory != NULL && chdir(options->directory) < 0)
        report_failure(status_fd, SPAWN_DIRECTORY, -errno);

    restore_original();
    sigprocmask(SIG_SETMASK, &original.mask, NULL);
    if (options->environment != NULL)
        environ = (char **)options->environment;
    execvp(options->arguments[0], options->arguments);
    report_failure(status_fd, SPAWN_EXEC,
                   exec_failure(-errno, options->arguments[0], getenv("PATH")));
}

/* --- In profd --- */

int spawn(const struct spawn_options *options, pid_t *pid, int *status_fd)
{
    int ends[2];
    sigset_t all, before;

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    /* No handler of profd may run in the new process. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0)
        become_program(options, ends[1]);
    int error = child < 0 ? -errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (error < 0) {
        close(ends[0]);
        return error;
    }
    if (options->own_group)
        setpgid(child, child); /* the child does it as well; the one that is later may fail */
    *pid = child;
    *status_fd = ends[0];
    return 0;
}
