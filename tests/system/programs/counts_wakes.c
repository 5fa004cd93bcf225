/* Works a little and sleeps, again and again: first in the main thread, then in one whose first
 * function does that itself. Prints for each how often it slept and how often it gave up its
 * processor for that: "slept N, left M". */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 300, SLEEP_NS = 4 * 1000 * 1000 };

static long times_left(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : -1;
}

static void *work_and_sleep(void *failed)
{
    const struct timespec pause = { .tv_nsec = SLEEP_NS };
    long before = times_left();
    for (int i = 0; i < ROUNDS; i++) {
        burn_outer(0.0002);
        *(int *)failed |= nanosleep(&pause, NULL) != 0;
    }
    printf("slept %d, left %ld\n", ROUNDS, times_left() - before);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int failed = 0;
    work_and_sleep(&failed);
    failed |= pthread_create(&thread, NULL, work_and_sleep, &failed) != 0;
    return failed || pthread_join(thread, NULL) != 0 || failed;
}
