/* What a profile that is converted is compared with: what each function used there and here. One
 * thread. */
#ifndef PROFD_PROFCTL_PROFILE_COMPARISON_H
#define PROFD_PROFCTL_PROFILE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

/* A function's self or total. */
struct profile_change {
    double before, now; /* ns of CPU time, or samples */
    double probability; /* that chance did it; NAN: too few samples to say */
    bool is_significant;
};

struct changed_function {
    const char *name; /* not terminated; borrowed */
    size_t length;
    struct profile_change self, total;
};

struct profile_comparison {
    const char *before; /* what the other profile is called; borrowed */
    bool is_by_cpu;     /* amounts are of CPU time; else samples */
    bool is_of_shares;  /* of all that was sampled; else of the amounts */
    double sampled_before, sampled_now;
    size_t functions;
    /* The function at INDEX of SOURCE. */
    struct changed_function (*function_at)(const void *source, size_t index);
    const void *source; /* borrowed */
};

#endif
