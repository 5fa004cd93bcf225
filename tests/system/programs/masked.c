/* A thread with every signal blocked. The status is 1 when a signal comes through, or the program
 * sees another mask than it set. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "tests/system/programs/burn.h"

static volatile sig_atomic_t was_called;

static void on_signal(int number)
{
    (void)number;
    was_called = 1;
}

static void *work(void *unused)
{
    sigset_t all, now;
    (void)unused;
    pthread_setname_np(pthread_self(), "masked");
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, NULL) != 0)
        return (void *)1;
    pthread_kill(pthread_self(), SIGUSR1);
    burn_outer(0.4);
    if (pthread_sigmask(SIG_SETMASK, NULL, &now) != 0)
        return (void *)1;
    return !was_called && sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGTERM) == 1 &&
                   sigismember(&now, SIGURG) == 1
               ? NULL
               : (void *)1;
}

int main(void)
{
    pthread_t thread;
    void *result;
    signal(SIGUSR1, on_signal);
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, &result) != 0)
        return 2;
    return (int)(intptr_t)result;
}
