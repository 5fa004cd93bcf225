/* no_timers: from its second thread on, the process may have no more timers; then three threads
 * work for 300, 600 and 900 ms of their own CPU time, called "worker 300" and so on. */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include "burn.h"

/* Not burn_outer(): what several threads write to makes them slower and faster than they reckon. */
static __attribute__((noinline)) void work_for(uint64_t ns)
{
    volatile uint64_t sink = 0;
    while (thread_cpu_ns() < ns)
        for (unsigned i = 0; i < 100000; i++)
            sink = sink + i;
}

enum { WORKERS = 3, STEP_MS = 300 };

static void *end_at_once(void *argument)
{
    return argument;
}

static void *work(void *argument)
{
    const int *ms = argument;
    char name[16];
    snprintf(name, sizeof(name), "worker %d", *ms);
    pthread_setname_np(pthread_self(), name);
    work_for((uint64_t)*ms * 1000000);
    return NULL;
}

int main(void)
{
    static const struct rlimit none = { 0, 0 };
    pthread_t first, workers[WORKERS];
    int ms[WORKERS];
    if (pthread_create(&first, NULL, end_at_once, NULL) != 0 || pthread_join(first, NULL) != 0 ||
        setrlimit(RLIMIT_SIGPENDING, &none) < 0)
        return 1;
    for (int i = 0; i < WORKERS; i++) {
        ms[i] = (i + 1) * STEP_MS;
        if (pthread_create(&workers[i], NULL, work, &ms[i]) != 0)
            return 2;
    }
    for (int i = 0; i < WORKERS; i++) {
        if (pthread_join(workers[i], NULL) != 0)
            return 3;
    }
    return 0;
}
