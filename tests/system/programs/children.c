/* children: runs programs in every way there is, waits for them in every way there is, and checks
 * that each call gives what it is documented to give. 0 when all is well, else it says what not. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

static int bad;

static void check_fact(int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "wrong: %s\n", what);
    bad = 1;
}

#define CHECK(claim) check_fact(claim, #claim)

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
    case 8:
        execveat(AT_FDCWD, "/bin/sh", arguments, environment, 0);
        break;
    case 9:
        syscall(SYS_execve, "/bin/sh", arguments, environment);
        break;
    default:
        syscall(SYS_execveat, AT_FDCWD, "/bin/sh", arguments, environment, 0);
        break;
    }
    _exit(99);
}

static const int statuses[] = { 3, 3, 4, 3, 3, 4, 4, 4, 4, 4, 4 };
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

/* What cannot be run leaves the reason in errno. */
static void fail_to_run(void)
{
    const char *volatile nowhere = NULL;

    errno = 0;
    CHECK(execv("/nonexistent", arguments) == -1 && errno == ENOENT);
    CHECK(execvp("", arguments) == -1 && errno == ENOENT);
    CHECK(execve("/", arguments, environment) == -1 && errno == EACCES);
    CHECK(execve(nowhere, arguments, environment) == -1 && errno == EFAULT);
    CHECK(syscall(SYS_execve, nowhere, arguments, environment) == -1 && errno == EFAULT);
    CHECK(syscall(SYS_execve, "/", arguments, environment) == -1 && errno == EACCES);
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

/* What is told of a child that was reaped has in it what its own children used. */
static void get_usage_as_ever(void)
{
    struct rusage usage;
    pid_t pid = fork();

    if (pid == 0) {
        if (fork() == 0) {
            burn_outer(0.2);
            _exit(0);
        }
        wait(NULL);
        _exit(0);
    }
    CHECK(wait4(pid, NULL, 0, &usage) == pid);
    CHECK(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec > 0 ||
          usage.ru_utime.tv_usec + usage.ru_stime.tv_usec >= 190000);
}

static void wait_by_group(void)
{
    int status;
    siginfo_t info;
    pid_t pid = fork();

    if (pid == 0)
        _exit(3);
    CHECK(waitpid(0, &status, 0) == pid && WEXITSTATUS(status) == 3);
    for (int way = 0; way < 2; way++) {
        pid = fork();
        if (pid == 0) {
            setpgid(0, 0);
            _exit(4);
        }
        (void)setpgid(pid, pid); /* whoever comes first; it may have ended */
        if (way == 0)
            CHECK(waitpid(-pid, &status, 0) == pid && WEXITSTATUS(status) == 4);
        else
            CHECK(waitid(P_PGID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid);
    }
}

static void wait_by_descriptor(void)
{
    siginfo_t info = { 0 };
    int gate[2];
    char byte;

    CHECK(pipe(gate) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(gate[1]);
        _exit(read(gate[0], &byte, 1) == 0 ? 6 : 1);
    }
    int pidfd = (int)syscall(SYS_pidfd_open, pid, O_NONBLOCK);
    CHECK(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) == -1 && errno == EAGAIN);
    close(gate[0]);
    close(gate[1]);
    while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) == -1 && errno == EAGAIN)
        ;
    CHECK(info.si_pid == pid && info.si_status == 6);
    CHECK(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) == -1 && errno == ECHILD);
    close(pidfd);
}

static void ask_for_nonsense(void)
{
    siginfo_t info;
    int *volatile nowhere_int = (int *)8;
    siginfo_t *volatile nowhere = (siginfo_t *)8;
    pid_t pid = child_with(2);

    CHECK(waitpid(pid, NULL, 0x123400) == -1 && errno == EINVAL);
    CHECK(waitid(P_PID, (id_t)pid, &info, 0) == -1 && errno == EINVAL);
    CHECK(waitid((idtype_t)99, (id_t)pid, &info, WEXITED) == -1 && errno == EINVAL);
    CHECK(waitpid(INT_MIN, NULL, 0) == -1 && errno == ESRCH);
    CHECK(waitpid(1, NULL, 0) == -1 && errno == ECHILD);
    CHECK(waitpid(pid, nowhere_int, 0) == -1 && errno == EFAULT);
    CHECK(waitpid(pid, NULL, 0) == -1 && errno == ECHILD); /* it was reaped all the same */
    pid = child_with(2);
    CHECK(waitid(P_PID, (id_t)pid, nowhere, WEXITED) == -1 && errno == EFAULT);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == -1 && errno == ECHILD);
}

static void leave_errno_alone(void)
{
    siginfo_t info;
    pid_t pid = child_with(0);

    errno = EXDEV;
    CHECK(waitpid(pid, NULL, 0) == pid && errno == EXDEV);
    pid = child_with(0);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && errno == EXDEV);
    pid = fork();
    if (pid == 0) {
        for (;;)
            pause();
    }
    memset(&info, 0xff, sizeof(info));
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0);
    CHECK(waitpid(pid, NULL, WNOHANG) == 0 && errno == EXDEV);
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
    (void)number;
    alarms++;
}

/* A signal ends a wait unless its handler says that calls go on. */
static void interrupt_a_wait(void)
{
    struct sigaction action = { .sa_handler = on_alarm };
    const struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, never = { 0 };
    siginfo_t info;
    pid_t pid = fork();

    if (pid == 0) {
        for (;;)
            pause();
    }
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    CHECK(waitpid(pid, NULL, 0) == -1 && errno == EINTR);
    CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == -1 && errno == EINTR);
    setitimer(ITIMER_REAL, &never, NULL);
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    pid = fork();
    if (pid == 0) {
        usleep(200000);
        _exit(0);
    }
    alarms = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    CHECK(waitpid(pid, NULL, 0) == pid && alarms > 0);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void *wait_for_all(void *argument)
{
    int status, *count = argument;

    while (*count % 2 == 0 ? waitpid(-1, &status, 0) > 0 : waitid(P_ALL, 0, NULL, WEXITED) == 0)
        *count += 2;
    CHECK(errno == ECHILD);
    return NULL;
}

/* Four threads wait for all: each child is told of once. */
static void wait_together(void)
{
    enum { THREADS = 4, CHILDREN = 300 };
    pthread_t threads[THREADS];
    int counts[THREADS], sum = 0;

    for (int i = 0; i < CHILDREN; i++)
        child_with(0);
    for (int i = 0; i < THREADS; i++) {
        counts[i] = i % 2;
        pthread_create(&threads[i], NULL, wait_for_all, &counts[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += counts[i] / 2;
    }
    CHECK(sum == CHILDREN);
}

static void *wait_for_one(void *argument)
{
    waitpid(*(pid_t *)argument, NULL, 0);
    return NULL;
}

/* A thread that is cancelled while it waits has reaped nobody. */
static void cancel_a_wait(void)
{
    pthread_t thread;
    void *result;
    pid_t pid = fork();

    if (pid == 0) {
        for (;;)
            pause();
    }
    pthread_create(&thread, NULL, wait_for_one, &pid);
    usleep(20000); /* it waits, or will */
    pthread_cancel(thread);
    pthread_join(thread, &result);
    CHECK(result == PTHREAD_CANCELED);
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, NULL, 0) == pid);
}

/* In a child of vfork, whose memory is ours. */
static void wait_in_vfork(void)
{
    int status;
    volatile int was_reaped = 0;
    pid_t pid = vfork();

    if (pid == 0) {
        pid_t own = (pid_t)syscall(SYS_fork);
        if (own == 0)
            _exit(0);
        was_reaped = waitpid(own, NULL, 0) == own;
        _exit(5);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 5 && was_reaped);
}

static void nobody_is_kept(void)
{
    signal(SIGCHLD, SIG_IGN);
    child_with(0);
    CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    fail_to_run();
    run_in_all_ways();
    spawn_beside();
    wait_in_all_ways();
    watch_one();
    reap_in_a_handler();
    get_usage_as_ever();
    wait_by_group();
    wait_by_descriptor();
    ask_for_nonsense();
    leave_errno_alone();
    interrupt_a_wait();
    wait_together();
    cancel_a_wait();
    wait_in_vfork();
    nobody_is_kept();
    return bad;
}
