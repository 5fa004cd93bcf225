/* What labels and markers cost while they are recorded. Run under `profctl run`. */
#include <pthread.h>
#include <x86intrin.h>

#include <profd.h>

#include "tests/bench/bench.h"

enum { ITERATIONS = 2000000 };

static volatile uint64_t sink;

static double clock_gettime_cost(void)
{
    struct timespec now;
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        BENCH_BARRIER();
    }
    return (bench_now_ns() - start) / ITERATIONS;
}

static double label_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++) {
        PROFD_LABEL_PUSH("bench", PROFD_CATEGORY_OTHER);
        BENCH_BARRIER();
        PROFD_LABEL_POP();
    }
    return (bench_now_ns() - start) / ITERATIONS;
}

static double tsc_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++) {
        sink = __rdtsc();
        BENCH_BARRIER();
    }
    return (bench_now_ns() - start) / ITERATIONS;
}

static double marker_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++)
        PROFD_MARKER("bench", PROFD_CATEGORY_OTHER);
    return (bench_now_ns() - start) / ITERATIONS;
}

/* --- Two threads at once --- */

static pthread_barrier_t together;

static void *marker_thread(void *cost)
{
    profd_register_thread("bench");
    pthread_barrier_wait(&together);
    *(double *)cost = marker_cost();
    return NULL;
}

static double threads_cost(int count)
{
    pthread_t threads[2];
    double costs[2] = { 0, 0 };
    pthread_barrier_init(&together, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, marker_thread, &costs[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    return (costs[0] + costs[1]) / count;
}

static double one_thread_cost(void)
{
    return threads_cost(1);
}

static double two_threads_cost(void)
{
    return threads_cost(2);
}

int main(void)
{
    if ((profd_recording & PROFD_RECORDING_MARKERS) == 0) {
        fprintf(stderr, "program_recording: nothing is being recorded\n");
        return 1;
    }
    struct bench_pair marker = bench_pair(marker_cost, tsc_cost);
    bench_figure("label push and pop / clock_gettime",
                 bench_pair(label_cost, clock_gettime_cost).ratio, "x", 0.25);
    bench_figure("marker / its clock", marker.ratio, "x", 2);
    bench_figure("marker, two threads / one", bench_pair(two_threads_cost, one_thread_cost).ratio,
                 "x", 1.15);
    bench_value("marker_ns", marker.measured);
    return 0;
}
