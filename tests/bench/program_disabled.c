/* What labels and markers cost while nothing is recorded. Run without a session. */
#include <profd.h>

#include "tests/bench/bench.h"

enum { ITERATIONS = 20000000 };

#define LOOP(...)                                                                                  \
    double start = bench_now_ns();                                                                 \
    for (int i = 0; i < ITERATIONS; i++) {                                                         \
        __VA_ARGS__;                                                                               \
        BENCH_BARRIER();                                                                           \
    }                                                                                              \
    return (bench_now_ns() - start) / ITERATIONS

static double empty_loop(void)
{
    LOOP();
}

static double time_marker(void)
{
    LOOP(PROFD_MARKER("bench", PROFD_CATEGORY_OTHER));
}

static double time_label(void)
{
    LOOP(PROFD_LABEL_SCOPE("bench", PROFD_CATEGORY_OTHER));
}

int main(void)
{
    bench_figure("disabled marker, above an empty loop",
                 bench_pair(time_marker, empty_loop).difference, "ns", 1);
    bench_figure("disabled label, above an empty loop",
                 bench_pair(time_label, empty_loop).difference, "ns", 1);
    return 0;
}
