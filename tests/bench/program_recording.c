/* What labels and markers cost while they are recorded. Run under `profctl run`. */
#include <pthread.h>
#include <x86intrin.h>

#include <profd.h>

#include "tests/bench/bench.h"

enum { ITERATIONS = 2000000 };

#include "tests/bench/typed_marker.h"

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

static double typed_marker_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++)
        PROFD_MARKER_TYPED(typed, "bench", PROFD_CATEGORY_OTHER, profd_instant(), i & 127, "short");
    return (bench_now_ns() - start) / ITERATIONS;
}

/* --- Two threads at once: each one's own CPU time, so that others on the machine don't count ---
 */

struct parallel {
    double cost;
    bench_measure *loop;
    pthread_barrier_t *together;
};

static void *parallel_thread(void *argument)
{
    struct parallel *self = argument;
    profd_register_thread("bench");
    pthread_barrier_wait(self->together);
    double start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    self->loop();
    self->cost = (bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / ITERATIONS;
    return NULL;
}

static double parallel_cost(unsigned count, bench_measure *loop)
{
    pthread_t threads[2];
    pthread_barrier_t together;
    struct parallel parallel[2] = { { 0, loop, &together }, { 0, loop, &together } };
    pthread_barrier_init(&together, NULL, count);
    for (unsigned i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, parallel_thread, &parallel[i]);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&together);
    return (parallel[0].cost + parallel[1].cost) / count;
}

static double one_marker_thread(void)
{
    return parallel_cost(1, marker_cost);
}

static double two_marker_threads(void)
{
    return parallel_cost(2, marker_cost);
}

static double one_typed_thread(void)
{
    return parallel_cost(1, typed_marker_cost);
}

static double two_typed_threads(void)
{
    return parallel_cost(2, typed_marker_cost);
}

static double one_clock_thread(void)
{
    return parallel_cost(1, tsc_cost);
}

static double two_clock_threads(void)
{
    return parallel_cost(2, tsc_cost);
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
    bench_figure("marker, two threads / one",
                 bench_pair(two_marker_threads, one_marker_thread).ratio, "x", 1.15);
    bench_figure("marker with an int and a string / its clock",
                 bench_pair(typed_marker_cost, tsc_cost).ratio, "x", 2);
    bench_figure("marker with an int and a string, two threads / one",
                 bench_pair(two_typed_threads, one_typed_thread).ratio, "x", 1.15);
    /* What the machine itself makes of two threads that share nothing. */
    bench_value("clock_two_threads", bench_pair(two_clock_threads, one_clock_thread).ratio);
    bench_value("marker_ns", marker.measured);
    return 0;
}
