#include "child-agent/cpu_clock.h"

uint64_t cpu_clock_thread_ns(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) < 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool cpu_activity_since_last(struct cpu_activity *activity)
{
    /* The caller's own clock first: what it uses between the two readings counts as the others',
     * some hundred nanoseconds that the noise covers. */
    uint64_t own_ns = cpu_clock_thread_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t others_ns = cpu_clock_thread_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns;
    if (others_ns < activity->others_ns + CPU_NOISE_NS)
        return false;
    activity->others_ns = others_ns;
    return true;
}
