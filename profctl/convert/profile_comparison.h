/* The comparison of a converted profile with another one: what each function used in both. One
 * thread. */
#ifndef PROFD_PROFCTL_PROFILE_COMPARISON_H
#define PROFD_PROFCTL_PROFILE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

/* The self or total amount of a function. */
struct profile_change {
    double before, now; /* ns of CPU time, or samples */
    double probability; /* that the change is due to chance; NAN: too few samples */
    bool is_significant;
};

struct changed_function {
    const char *name; /* not terminated; borrowed */
    size_t length;
    struct profile_change self, total;
};

struct profile_comparison {
    const char *before; /* name of the other profile; borrowed */
    bool is_by_cpu;     /* amounts are CPU time, else samples */
    bool is_of_shares;  /* compares shares of everything sampled, else amounts */
    double sampled_before, sampled_now;
    size_t functions;
    /* Returns the function at INDEX of SOURCE. */
    struct changed_function (*function_at)(const void *source, size_t index);
    const void *source; /* borrowed */
};

#endif
