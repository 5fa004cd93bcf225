/* fork_restarts: a handler of fork that was there before the agent's, as those of libraries are,
 * makes a thread in the child that stays. Threads that the child makes later work beside it. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

static pthread_t stays;
static pthread_barrier_t may_work;

static void *work(void *name)
{
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&may_work);
    burn_outer(0.3);
    return NULL;
}

static void restart_thread(void)
{
    if (pthread_create(&stays, NULL, work, "stays") != 0)
        abort();
}

static void register_early(void)
{
    if (pthread_atfork(NULL, NULL, restart_thread) != 0)
        abort();
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = register_early;

int main(void)
{
    pthread_t later;
    int status = 1;
    pthread_barrier_init(&may_work, NULL, 2);
    pid_t child = fork();
    if (child == 0) {
        if (pthread_create(&later, NULL, work, "later") != 0)
            abort();
        pthread_join(later, NULL);
        pthread_join(stays, NULL);
        exit(0);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
}
