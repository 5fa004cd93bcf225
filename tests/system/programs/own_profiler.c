/* A program that samples itself, by ITIMER_PROF: every 4 ms of its CPU time, for 0.8 s. Prints how
 * often it was; the status is 0 when it was at least 20 times, and its handler and timer are still
 * there. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "tests/system/programs/burn.h"

enum { LEAST_SAMPLES = 20 };

static volatile sig_atomic_t samples;

static void on_prof(int number)
{
    (void)number;
    samples++;
}

int main(void)
{
    const struct sigaction action = { .sa_handler = on_prof, .sa_flags = SA_RESTART };
    const struct itimerval timer = { { .tv_usec = 4000 }, { .tv_usec = 4000 } };
    struct sigaction now;
    struct itimerval left;
    if (sigaction(SIGPROF, &action, NULL) < 0 || setitimer(ITIMER_PROF, &timer, NULL) < 0)
        return 2;
    burn_outer(0.8);
    if (sigaction(SIGPROF, NULL, &now) < 0 || now.sa_handler != on_prof ||
        getitimer(ITIMER_PROF, &left) < 0 || left.it_interval.tv_usec != 4000)
        return 1;
    printf("%d samples\n", (int)samples);
    return samples >= LEAST_SAMPLES ? 0 : 1;
}
