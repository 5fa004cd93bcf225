/* keeps_signals: a thread "keeper" works for 500 ms of its CPU time with both signals that take
 * samples blocked, for itself, and for 100 ms without. */
#include <pthread.h>
#include <signal.h>

#include "burn.h"

static void *work(void *argument)
{
    sigset_t ours;
    pthread_setname_np(pthread_self(), "keeper");
    sigemptyset(&ours);
    sigaddset(&ours, SIGURG);
    sigaddset(&ours, SIGWINCH);
    if (pthread_sigmask(SIG_BLOCK, &ours, NULL) != 0)
        return NULL;
    burn_outer(0.5);
    if (pthread_sigmask(SIG_UNBLOCK, &ours, NULL) != 0)
        return NULL;
    burn_outer(0.1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result;
    int token = 0;
    if (pthread_create(&thread, NULL, work, &token) != 0 || pthread_join(thread, &result) != 0)
        return 1;
    return result == &token ? 0 : 1;
}
