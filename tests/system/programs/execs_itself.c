/* execs_itself ITERATIONS [LESS…]: so many iterations of the tenant "blue", of 2 ms of CPU time
 * each; then it waits until the file "next" is gone, and executes itself with the other arguments,
 * of which the last one stays: it waits for good. */
#include <profd.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/system/programs/burn.h"

enum { WORK_NS = 2 * 1000 * 1000, LOOK_US = 10 * 1000 };

PROFD_UNIT(handler, "handler", "blue");

static size_t groups_of(const struct profd_unit *unit, struct profd_group **out, size_t most,
                        void *context)
{
    (void)unit, (void)context;
    if (most > 0)
        out[0] = profd_group_ref("tenant", "blue", 0, 0);
    return most > 0;
}

static void handle_event(void)
{
    struct profd_stopwatch watch;
    uint64_t end_ns = thread_cpu_ns() + WORK_NS;
    profd_unit_enter(&watch, &handler);
    while (thread_cpu_ns() < end_ns)
        burn_sink += burn_sink * 3 + 1;
    profd_unit_leave(&watch);
    profd_iteration_end();
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 0;
    profd_units_ask(groups_of, NULL);
    profd_groups_measure(PROFD_MEASURE_CPU);
    for (int i = 0; i < iterations; i++)
        handle_event();
    while (argc <= 2 || access("next", F_OK) == 0)
        usleep(LOOK_US);
    argv[1] = argv[0];
    execv("/proc/self/exe", argv + 1);
    return 1;
}
