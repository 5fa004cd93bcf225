/* A marker against LTTng-UST's tracepoint, both recording. Built where liblttng-ust-dev is; run
 * under `profctl run` while an LTTng session has its event enabled (scripts/bench). */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tests/bench/lttng_provider.h"

#include "tests/bench/bench.h"
#include "tests/bench/typed_marker.h"

enum { ITERATIONS = 500000 };

static double marker_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++)
        PROFD_MARKER("bench", PROFD_CATEGORY_OTHER);
    return (bench_now_ns() - start) / ITERATIONS;
}

static double tracepoint_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++)
        lttng_ust_tracepoint(profd_bench, point);
    return (bench_now_ns() - start) / ITERATIONS;
}

static double typed_marker_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++)
        PROFD_MARKER_TYPED(typed, "bench", PROFD_CATEGORY_OTHER, profd_instant(), i & 127, "short");
    return (bench_now_ns() - start) / ITERATIONS;
}

static double typed_tracepoint_cost(void)
{
    double start = bench_now_ns();
    for (int i = 0; i < ITERATIONS; i++)
        lttng_ust_tracepoint(profd_bench, typed, i & 127, "short");
    return (bench_now_ns() - start) / ITERATIONS;
}

int main(void)
{
    if (!lttng_ust_tracepoint_enabled(profd_bench, point)) {
        fprintf(stderr, "program_lttng: the tracepoint is not enabled\n");
        return 1;
    }
    bench_figure("marker / LTTng-UST's tracepoint", bench_pair(marker_cost, tracepoint_cost).ratio,
                 "x", 0.3);
    bench_figure("LTTng-UST's tracepoint / marker with an int and a string",
                 bench_pair(typed_tracepoint_cost, typed_marker_cost).ratio, "x at least", 6);
    return 0;
}
