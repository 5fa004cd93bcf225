/* forks_in_handler: for 700 ms, forks again and again, and so does the handler of a signal that
 * comes in between. The status is 0 when all children have ended well and no signal was left
 * blocked. */
#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_US = 300, RUN_MS = 700, MOST_HANDLER_FORKS = 300 };

static volatile sig_atomic_t failures, handler_forks;

static void fork_once(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        sigset_t mask;
        _exit(sigprocmask(SIG_BLOCK, NULL, &mask) != 0 || sigismember(&mask, SIGUSR1) != 0);
    }
    if (child < 0) {
        failures++;
        return;
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) {
            failures++;
            return;
        }
    }
    failures += status != 0;
}

static void on_alarm(int number)
{
    int saved_errno = errno;
    (void)number;
    if (handler_forks < MOST_HANDLER_FORKS) {
        handler_forks++;
        fork_once();
    }
    errno = saved_errno;
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int main(void)
{
    const struct itimerval often = { { 0, EVERY_US }, { 0, EVERY_US } },
                           never = { { 0, 0 }, { 0, 0 } };
    const struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
    long end_ms = now_ms() + RUN_MS;
    sigset_t mask;
    if (sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &often, NULL) < 0)
        return 2;
    while (now_ms() < end_ms)
        fork_once();
    setitimer(ITIMER_REAL, &never, NULL);
    if (sigprocmask(SIG_BLOCK, NULL, &mask) != 0 || sigismember(&mask, SIGALRM) != 0)
        return 3;
    return failures == 0 ? 0 : 1;
}
