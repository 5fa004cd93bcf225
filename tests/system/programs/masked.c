/* A thread with every signal blocked. The status is 1 when the program sees another mask than it
 * set. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "tests/system/programs/burn.h"

static void *work(void *unused)
{
    sigset_t all, now;
    (void)unused;
    pthread_setname_np(pthread_self(), "masked");
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, NULL) != 0)
        return (void *)1;
    burn_outer(0.4);
    if (pthread_sigmask(SIG_SETMASK, NULL, &now) != 0)
        return (void *)1;
    return sigismember(&now, SIGURG) == 1 && sigismember(&now, SIGUSR1) == 1 ? NULL : (void *)1;
}

int main(void)
{
    pthread_t thread;
    void *result;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, &result) != 0)
        return 2;
    return (int)(intptr_t)result;
}
