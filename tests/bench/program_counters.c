/* What adding to a counter costs: alone, two threads on one counter, and without a session. Run
 * under `profctl run`. */
#include <pthread.h>

#include <profd.h>

#include "tests/bench/bench.h"

enum { ITERATIONS = 5000000 };

PROFD_COUNTER(counted, "bench", "Bench", "adds of the measurement");

static int64_t common;
static pthread_barrier_t together;

static double add_cost(void)
{
    double start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < ITERATIONS; i++) {
        profd_counter_add(&counted, i);
        BENCH_BARRIER();
    }
    return (bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / ITERATIONS;
}

/* What counting in one place of all threads would cost. */
static double locked_cost(void)
{
    double start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < ITERATIONS; i++)
        __atomic_fetch_add(&common, i, __ATOMIC_RELAXED);
    return (bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / ITERATIONS;
}

static void *add_beside(void *cost)
{
    pthread_barrier_wait(&together);
    *(double *)cost = add_cost();
    return NULL;
}

static double two_threads_cost(void)
{
    pthread_t threads[2];
    double costs[2];
    pthread_barrier_init(&together, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add_beside, &costs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    return (costs[0] + costs[1]) / 2;
}

int main(void)
{
    if ((profd_recording & PROFD_RECORDING_COUNTERS) == 0) {
        fprintf(stderr, "program_counters: nothing is being counted\n");
        return 1;
    }
    struct bench_pair alone = bench_pair(add_cost, locked_cost);
    struct bench_pair two = bench_pair(two_threads_cost, add_cost);
    bench_figure("counter add", alone.measured, "ns", 2);
    bench_figure("counter add / an atomic add", alone.ratio, "x", 1);
    bench_figure("counter add, two threads", two.measured, "ns", 10);
    bench_figure("counter add, two threads / one", two.ratio, "x", 1.25);
    return 0;
}
