#include "profctl/client/private_daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/pidfd.h"

enum { END_TIMEOUT_MS = 5000 };

/* The longest folder name, so that the socket's path fits its address with room to spare. */
enum { LONGEST_BASE = 40 };

/* --- The folder --- */

static bool make_directory(struct private_daemon *daemon, struct failure *failure)
{
    const char *base = getenv("XDG_RUNTIME_DIR");

    /* Nobody else gets through $XDG_RUNTIME_DIR, but only root's programs can become somebody else.
     */
    if (base == NULL || base[0] != '/' || strlen(base) > LONGEST_BASE || geteuid() == 0 ||
        access(base, W_OK) != 0)
        base = "/tmp";
    snprintf(daemon->directory, sizeof(daemon->directory), "%s/profctl-XXXXXX", base);
    if (mkdtemp(daemon->directory) == NULL || chmod(daemon->directory, 0711) != 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot make a folder in %s for profd's socket: %s",
                    base, strerror(errno));
        daemon->directory[0] = '\0';
        return false;
    }
    return true;
}

static void remove_directory(struct private_daemon *daemon)
{
    static const char *const files[] = { "profd.sock", "profd.sock.lock", "profd.sock.leases" };
    char path[sizeof(daemon->directory) + 32];

    if (daemon->directory[0] == '\0')
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", daemon->directory, files[i]);
        unlink(path);
    }
    rmdir(daemon->directory);
    daemon->directory[0] = '\0';
}

/* --- The process --- */

/* "…/bin/profd" beside "…/bin/profctl". */
static bool find_profd(char path[4096], struct failure *failure)
{
    ssize_t length = readlink("/proc/self/exe", path, 4096 - sizeof("profd"));
    char *slash;

    if (length < 0) {
        failure_set(failure, EXIT_CODE_FAILED, "cannot determine where profctl is installed: %s",
                    strerror(errno));
        return false;
    }
    path[length] = '\0';
    slash = strrchr(path, '/');
    strcpy(slash + 1, "profd");
    if (access(path, X_OK) == 0)
        return true;
    failure_set(failure, EXIT_CODE_FAILED, "cannot run %s: %s; install profd beside profctl", path,
                strerror(errno));
    return false;
}

/* On a terminal that is ours, profd shares our group, so that the job stops and continues as one.
 * Elsewhere it has a group of its own: what is sent to ours, as by timeout(1), ends the command
 * through us, and must not end profd before the capture. */
static bool is_foreground_job(void)
{
    return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* A signal that the C library keeps to itself, so that it does not tell of it either. */
static bool is_default(int number)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action = { 0 };

    return syscall(SYS_rt_sigaction, number, NULL, &action, sizeof(action.mask)) == 0 &&
           action.handler != (void *)SIG_IGN;
}

/* In programs that posix_spawn() starts, and in all that those start, the signals that the C
 * library keeps to itself are ignored, but for those that are to be as usual. */
static int keep_inner_signals(posix_spawnattr_t *attributes)
{
    enum { FIRST_INNER = 32 }; /* up to SIGRTMIN */
    uint64_t inner = 0;
    sigset_t usual;

    for (int number = FIRST_INNER; number < SIGRTMIN; number++)
        inner |= (uint64_t)is_default(number) << (number - 1);
    sigemptyset(&usual);
    memcpy(&usual, &inner, sizeof(inner)); /* sigaddset() refuses them */
    return posix_spawnattr_setsigdefault(attributes, &usual);
}

/* Signal dispositions pass through profd to the command, as if we had started it: under nohup it is
 * not hung up. */
static int spawn_profd(const char *profd, const char *socket, int fd, pid_t *pid)
{
    char fd_text[16];
    char *arguments[] = { (char *)profd,  (char *)"--socket",
                          (char *)socket, (char *)"--private",
                          fd_text,        NULL };
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);

    if (error != 0)
        return -error;
    snprintf(fd_text, sizeof(fd_text), "%d", fd);
    short flags = POSIX_SPAWN_SETSIGDEF | (is_foreground_job() ? 0 : POSIX_SPAWN_SETPGROUP);
    error = posix_spawnattr_setflags(&attributes, flags);
    if (error == 0)
        error = keep_inner_signals(&attributes);
    if (error == 0)
        error = posix_spawn(pid, profd, NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return -error;
}

/* Starts profd with the other end of a socket pair, whose near end is closed on exec. */
static int start_process(struct private_daemon *daemon, const char *profd)
{
    char socket[sizeof(daemon->directory) + 16];
    int ends[2], error;

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return -errno;
    if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0) {
        error = -errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    snprintf(socket, sizeof(socket), "%s/profd.sock", daemon->directory);
    error = spawn_profd(profd, socket, ends[1], &daemon->pid);
    close(ends[1]);
    if (error < 0) {
        close(ends[0]);
        daemon->pid = 0;
        return error;
    }
    daemon->fd = ends[0];
    return 0;
}

bool private_daemon_start(struct private_daemon *daemon, struct failure *failure)
{
    char profd[4096];
    int error;

    *daemon = (struct private_daemon){ .fd = -1 };
    if (!find_profd(profd, failure) || !make_directory(daemon, failure))
        return false;
    error = prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ? -errno : 0;
    if (error == 0)
        error = start_process(daemon, profd);
    if (error == 0)
        return true;
    failure_set(failure, EXIT_CODE_FAILED, "cannot start %s: %s", profd, strerror(-error));
    (void)private_daemon_end(daemon);
    return false;
}

pid_t private_daemon_command(const struct private_daemon *daemon)
{
    char path[64];
    int pid = 0;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)daemon->pid, (int)daemon->pid);
    FILE *children = fopen(path, "re");
    if (children == NULL)
        return 0;
    if (fscanf(children, "%d", &pid) != 1)
        pid = 0;
    fclose(children);
    return pid;
}

/* True when the process ended within the time. */
static bool wait_for_end(pid_t pid, int timeout_ms)
{
    int handle = pidfd_of_process(pid);
    struct pollfd poll_handle = { .fd = handle, .events = POLLIN };
    int ready;

    if (handle < 0)
        return handle == -ESRCH;
    do {
        ready = poll(&poll_handle, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    close(handle);
    return ready > 0;
}

bool private_daemon_end(struct private_daemon *daemon)
{
    int status = 0;

    if (daemon->pid > 0) {
        if (!wait_for_end(daemon->pid, END_TIMEOUT_MS))
            kill(daemon->pid, SIGKILL);
        while (waitpid(daemon->pid, &status, 0) < 0 && errno == EINTR)
            ;
        daemon->pid = 0;
    }
    remove_directory(daemon);
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_CODE_FAILED;
}
