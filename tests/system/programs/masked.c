/* masked [raw]: a thread with every signal blocked, by the C library or the number of the call. The
 * status is 1 when a signal comes through, or the program sees another mask than it set. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static volatile sig_atomic_t was_called;

static void on_signal(int number)
{
    (void)number;
    was_called = 1;
}

static bool is_raw;

static int set_mask(const sigset_t *set, sigset_t *old_set)
{
    if (!is_raw)
        return pthread_sigmask(SIG_SETMASK, set, old_set);
    return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, set, old_set, sizeof(uint64_t));
}

/* As some programs ask whether memory can be read. */
static bool is_readable(const void *address)
{
    return syscall(SYS_rt_sigprocmask, ~0, address, NULL, sizeof(uint64_t)) == -1 &&
           errno == EINVAL;
}

static void *work(void *unused)
{
    sigset_t all, now, none;
    (void)unused;
    sigemptyset(&none);
    sigemptyset(&now);
    pthread_setname_np(pthread_self(), "masked");
    sigfillset(&all);
    if (set_mask(&all, NULL) != 0)
        return (void *)1;
    pthread_kill(pthread_self(), SIGUSR1);
    burn_outer(0.4);
    if (set_mask(NULL, &now) != 0)
        return (void *)1;
    return !was_called && sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGTERM) == 1 &&
                   sigismember(&now, SIGURG) == 1 && is_readable(&now) &&
                   !is_readable((const void *)16) && set_mask(&none, &now) == 0 && was_called &&
                   sigismember(&now, SIGURG) == 1 && set_mask(NULL, &now) == 0 &&
                   sigismember(&now, SIGURG) == 0
               ? NULL
               : (void *)1;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *result;
    is_raw = argc > 1 && strcmp(argv[1], "raw") == 0;
    signal(SIGUSR1, on_signal);
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, &result) != 0)
        return 2;
    return (int)(intptr_t)result;
}
