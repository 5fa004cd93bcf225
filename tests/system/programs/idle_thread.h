/* A second thread, which does nothing, for programs that are to have one of the agent's too: if
 * WITH_IDLE_THREAD is set. */
#ifndef TESTS_IDLE_THREAD_H
#define TESTS_IDLE_THREAD_H

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *idle(void *argument)
{
    for (;;)
        pause();
    return argument;
}

static inline int idle_thread_if_wanted(void)
{
    pthread_t thread;
    return getenv("WITH_IDLE_THREAD") == NULL ? 0 : pthread_create(&thread, NULL, idle, NULL);
}

#endif
