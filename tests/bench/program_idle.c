/* What being profiled costs an idle program of 100 threads: the sampler's CPU use, and how often
 * the threads were woken. Run under `profctl run` at 1 ms. */
#include <poll.h>
#include <pthread.h>

#include "tests/bench/bench.h"
#include "tests/bench/own_threads.h"

enum { THREADS = 100 };

static void *sleep_forever(void *unused)
{
    pthread_setname_np(pthread_self(), "asleep");
    while (unused == NULL)
        poll(NULL, 0, -1);
    return unused;
}

static double sampler_share(void)
{
    double start = bench_now_ns(), cpu = threads_cpu_ns("");
    struct timespec half_a_second = { 0, 500000000 };
    clock_nanosleep(CLOCK_MONOTONIC, 0, &half_a_second, NULL);
    return 100 * (threads_cpu_ns("") - cpu) / (bench_now_ns() - start);
}

int main(void)
{
    pthread_t thread;
    double shares[BENCH_ROUNDS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread, NULL, sleep_forever, NULL) != 0)
            return 1;
    }
    sampler_share();
    double before = threads_wakeups("asleep");
    for (int i = 0; i < BENCH_ROUNDS; i++)
        shares[i] = sampler_share();
    bench_figure("CPU at 1 ms of an idle program of 100 threads",
                 bench_median(shares, BENCH_ROUNDS), "%", 3);
    /* A signal wakes its thread, even where the agent lets poll() go on. */
    bench_figure("signals to its threads", threads_wakeups("asleep") - before, "signals", 0);
    return 0;
}
