/* Threads that start, work a little and exit, without pause, while being sampled. */
#include <pthread.h>
#include <stdio.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 300, AT_ONCE = 4 };

static void *work(void *argument)
{
    char name[16];
    snprintf(name, sizeof(name), "short %ld", (long)argument);
    pthread_setname_np(pthread_self(), name);
    burn_outer(0.002);
    return argument;
}

int main(void)
{
    for (long round = 0; round < ROUNDS; round++) {
        pthread_t threads[AT_ONCE];
        for (long i = 0; i < AT_ONCE; i++) {
            if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
                return 1;
        }
        for (long i = 0; i < AT_ONCE; i++) {
            void *result;
            if (pthread_join(threads[i], &result) != 0 || result != (void *)i)
                return 2;
        }
    }
    return 0;
}
