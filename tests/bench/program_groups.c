/* What performance groups cost: entering and leaving a unit while nobody asks for them, and with
 * three groups; the iteration of a loop. Run without a session. */
#include <poll.h>
#include <profd.h>
#include <x86intrin.h>

#include "tests/bench/bench.h"

enum { ITERATIONS = 5000000, POLLS = 500000, GROUPS = 2, COUNTERS_READ = 2 };

PROFD_UNIT(unit, "bench", "unit");

static size_t groups_of(const struct profd_unit *entered, struct profd_group **out, size_t most,
                        void *context)
{
    (void)entered, (void)most, (void)context;
    out[0] = profd_group_ref("tenant", "bench", 0, 0);
    out[1] = profd_group_ref("add-on", "bench", 0, 0);
    return GROUPS;
}

#define LOOP(COUNT, ...)                                                                           \
    double start = bench_now_ns();                                                                 \
    for (int i = 0; i < (COUNT); i++) {                                                            \
        __VA_ARGS__;                                                                               \
        BENCH_BARRIER();                                                                           \
    }                                                                                              \
    return (bench_now_ns() - start) / (COUNT)

static double empty_loop(void)
{
    LOOP(ITERATIONS, (void)0);
}

static double two_cycle_counters(void)
{
    uint64_t sum = 0;
    LOOP(ITERATIONS, for (int j = 0; j < COUNTERS_READ; j++) sum += __rdtsc();
         __asm__ volatile(""
                          :
                          : "r"(sum)));
}

static double enter_and_leave(void)
{
    struct profd_stopwatch watch;
    LOOP(ITERATIONS, profd_unit_enter(&watch, &unit); profd_unit_leave(&watch));
}

static double wait_for_nothing(void)
{
    LOOP(POLLS, (void)poll(NULL, 0, 0));
}

static double wait_unwatched(void)
{
    profd_groups_monitor(false, false);
    double ns = wait_for_nothing();
    profd_groups_monitor(true, true);
    return ns;
}

static double time_commit(void)
{
    struct profd_stopwatch watch;
    LOOP(ITERATIONS, profd_unit_enter(&watch, &unit); profd_unit_leave(&watch);
         profd_iteration_end());
}

int main(void)
{
    bench_figure("a unit while nobody asks, above an empty loop",
                 bench_pair(enter_and_leave, empty_loop).difference, "ns", 1);
    profd_units_ask(groups_of, NULL);
    profd_groups_monitor(true, true);
    bench_figure("an iteration that is seen at poll, above bare",
                 bench_pair(wait_for_nothing, wait_unwatched).difference / 1000, "us", 1);
    profd_iteration_end(); /* from here on nothing is committed by itself */
    struct bench_pair counters = bench_pair(two_cycle_counters, empty_loop);
    struct bench_pair units = bench_pair(enter_and_leave, empty_loop);
    bench_figure("a unit of three groups / reading the cycle counter twice",
                 units.difference / counters.difference, "times", 3);
    bench_figure("the commit of an iteration",
                 bench_pair(time_commit, enter_and_leave).difference / 1000, "us", 1);
    return 0;
}
