/* How often an idle program of 100 threads is woken for being profiled: those threads that are not
 * its own, and its own by signals. */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/own_threads.h"

enum { THREADS = 100, SETTLE_SECONDS = 2, SECONDS = 10 };

static pid_t own[THREADS + 1];
static pthread_barrier_t all_are_there;

static void *sleep_forever(void *argument)
{
    *(pid_t *)argument = gettid();
    pthread_barrier_wait(&all_are_there);
    for (;;)
        poll(NULL, 0, -1);
    return NULL;
}

static int is_own(const char *task)
{
    pid_t tid = (pid_t)strtol(task, NULL, 10);
    for (int i = 0; i <= THREADS; i++) {
        if (own[i] == tid)
            return 1;
    }
    return 0;
}

static double wakeups_of_others(const char *task)
{
    return is_own(task) ? 0 : task_wakeups(task);
}

/* The main thread sleeps by itself. */
static double wakeups_of_own(const char *task)
{
    return is_own(task) && strtol(task, NULL, 10) != getpid() ? task_wakeups(task) : 0;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&all_are_there, NULL, THREADS + 1);
    own[THREADS] = gettid();
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, sleep_forever, &own[i]) != 0)
            return 1;
    }
    pthread_barrier_wait(&all_are_there);
    sleep(SETTLE_SECONDS);
    double others = threads_sum(wakeups_of_others), ours = threads_sum(wakeups_of_own);
    sleep(SECONDS);
    bench_figure("wake-ups of the agent in 10 s, 100 idle threads",
                 threads_sum(wakeups_of_others) - others, "wake-ups", 0);
    bench_figure("... of the threads themselves", threads_sum(wakeups_of_own) - ours, "wake-ups",
                 0);
    return 0;
}
