/* A thread that works a little and sleeps, again and again, beside another. Prints how often it
 * slept and how often it gave up its processor for that: "slept N, left M". */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/system/programs/burn.h"

enum { ROUNDS = 300, SLEEP_NS = 4 * 1000 * 1000 };

static void *do_nothing(void *unused)
{
    return unused;
}

static long times_left(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : -1;
}

int main(void)
{
    const struct timespec pause = { .tv_nsec = SLEEP_NS };
    pthread_t other;
    if (pthread_create(&other, NULL, do_nothing, NULL) != 0 || pthread_join(other, NULL) != 0)
        return 1;
    long before = times_left();
    for (int i = 0; i < ROUNDS; i++) {
        burn_outer(0.0002);
        if (nanosleep(&pause, NULL) != 0)
            return 1;
    }
    printf("slept %d, left %ld\n", ROUNDS, times_left() - before);
    return 0;
}
