/* two_speeds MS [THIRD]: uses MS of CPU time in changed_part(), and 1000 ms in steady_part(); with
 * THIRD, 200 ms in a function that is not there otherwise. */
#include <stdlib.h>

#include "tests/system/programs/burn.h"

/* A function that keeps the CPU busy for SECONDS, as burn_outer() does, by itself. */
#define PART(name, operator)                                                                       \
    static __attribute__((noinline)) void name(double seconds)                                     \
    {                                                                                              \
        uint64_t now = thread_cpu_ns(), end = now + (uint64_t)(seconds * 1e9), rounds = 1;         \
        while (now < end) {                                                                        \
            uint64_t before = now;                                                                 \
            for (uint64_t i = 0; i < rounds * 100000; i++)                                         \
                burn_sink = burn_sink operator i;                                                  \
            now = thread_cpu_ns();                                                                 \
            if (now < end)                                                                         \
                rounds = rounds_for_half(rounds, now - before, end - now);                         \
        }                                                                                          \
    }

PART(changed_part, +)
PART(steady_part, ^)
PART(third_part, |)

int main(int argc, char **argv)
{
    changed_part(argc > 1 ? strtod(argv[1], NULL) / 1000 : 0);
    steady_part(1);
    if (argc > 2)
        third_part(0.2);
    return 0;
}
