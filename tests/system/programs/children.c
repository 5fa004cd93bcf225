/* children: runs programs in every way there is, waits for them in every way there is, and checks
 * that each call gives what it is documented to give. 0 when all is well, else it says what not. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int bad;

static void check(int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    bad = 1;
}

#define CHECK(claim) check(claim, #claim)

static char *const arguments[] = { "sh", "-c", "exit ${STATUS:-3}", NULL };
static char *const environment[] = { "STATUS=4", "PATH=/bin", NULL };

static void run_way(int way)
{
    switch (way) {
    case 0:
        execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
        break;
    case 1:
        execlp("sh", "sh", "-c", "exit 3", (char *)NULL);
        break;
    case 2:
        execle("/bin/sh", "sh", "-c", "exit $STATUS", (char *)NULL, environment);
        break;
    case 3:
        execv("/bin/sh", arguments);
        break;
    case 4:
        execvp("sh", arguments);
        break;
    case 5:
        execve("/bin/sh", arguments, environment);
        break;
    case 6:
        execvpe("sh", arguments, environment);
        break;
    case 7:
        fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), arguments, environment);
        break;
    default:
        execveat(AT_FDCWD, "/bin/sh", arguments, environment, 0);
        break;
    }
    _exit(99);
}

static const int statuses[] = { 3, 3, 4, 3, 3, 4, 4, 4, 4 };
enum { WAYS = sizeof(statuses) / sizeof(statuses[0]) };

static void run_and_wait(int way, int is_vfork)
{
    int status = -1;
    pid_t pid = is_vfork ? vfork() : fork();

    if (pid == 0)
        run_way(way);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == statuses[way]);
}

static void run_in_all_ways(void)
{
    for (int way = 0; way < WAYS; way++) {
        run_and_wait(way, 0);
        run_and_wait(way, 1);
    }
}

/* What can't be run leaves the reason in errno. */
static void fail_to_run(void)
{
    const char *volatile nowhere = NULL;

    errno = 0;
    CHECK(execv("/nonexistent", arguments) == -1 && errno == ENOENT);
    CHECK(execvp("", arguments) == -1 && errno == ENOENT);
    CHECK(execve("/", arguments, environment) == -1 && errno == EACCES);
    CHECK(execve(nowhere, arguments, environment) == -1 && errno == EFAULT);
    CHECK(execl("/etc/passwd", "passwd", (char *)NULL) == -1 && errno == EACCES);
    CHECK(fexecve(-1, arguments, environment) == -1 && errno == EINVAL);
    CHECK(posix_spawn(NULL, "/nonexistent", NULL, NULL, arguments, environment) == ENOENT);
}

static void spawn_beside(void)
{
    int status;
    pid_t pid = 0;

    CHECK(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environment) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
    CHECK(posix_spawnp(NULL, "sh", NULL, NULL, arguments, environment) == 0);
    CHECK(wait(&status) > 0 && WEXITSTATUS(status) == 4);
}

static pid_t child_with(int status)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(status);
    return pid;
}

static void wait_in_all_ways(void)
{
    struct rusage usage;
    siginfo_t info;
    int status;
    pid_t pid = child_with(5);

    memset(&usage, 0xff, sizeof(usage));
    CHECK(wait4(pid, &status, 0, &usage) == pid && WEXITSTATUS(status) == 5);
    CHECK(usage.ru_utime.tv_sec == 0 && usage.ru_stime.tv_sec == 0);
    pid = child_with(6);
    CHECK(wait3(&status, 0, &usage) == pid && WEXITSTATUS(status) == 6);
    pid = child_with(7);
    CHECK(wait(NULL) == pid);
    pid = child_with(8);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_status == 8);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid);
    CHECK(info.si_code == CLD_EXITED && info.si_status == 8);
    pid = child_with(9);
    CHECK(waitid(P_ALL, 0, NULL, WEXITED) == 0);
    errno = 0;
    CHECK(waitpid(pid, NULL, 0) == -1 && errno == ECHILD);
    CHECK(wait(&status) == -1 && errno == ECHILD);
    CHECK(waitid(P_ALL, 0, &info, WEXITED) == -1 && errno == ECHILD);
}

/* A child that stops, goes on and is killed is told of each. */
static void watch_one(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        for (;;)
            pause();
    }
    CHECK(waitpid(pid, &status, WNOHANG) == 0);
    kill(pid, SIGSTOP);
    CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    kill(pid, SIGCONT);
    CHECK(waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static volatile sig_atomic_t reaped;

static void on_child(int number)
{
    int call_errno = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        reaped++;
    errno = call_errno;
}

static void reap_in_a_handler(void)
{
    sigset_t child, before;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    signal(SIGCHLD, on_child);
    for (int i = 0; i < 50; i++)
        child_with(0);
    while (reaped < 50)
        sigsuspend(&before);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
    fail_to_run();
    run_in_all_ways();
    spawn_beside();
    wait_in_all_ways();
    watch_one();
    reap_in_a_handler();
    return bad;
}
