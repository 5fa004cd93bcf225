#include "child-agent/guest/cpu_clock.h"

#include "buffer/clock.h"

/* By the kernel's own numbering: clock_getcpuclockid() has no word for threads. */
clockid_t cpu_clock_of_thread(struct profd_thread_id thread)
{
    enum { CPUCLOCK_SCHED_PER_THREAD = 6 };
    return (clockid_t)(~(unsigned)thread.number << 3 | CPUCLOCK_SCHED_PER_THREAD);
}

struct profd_thread_id thread_of_cpu_clock(clockid_t clock)
{
    return (struct profd_thread_id){ (int32_t) ~(unsigned)(clock >> 3) };
}

bool cpu_activity_since_last(struct cpu_activity *activity)
{
    /* The caller's own clock first: what it uses between the two readings counts as the others',
     * some hundred nanoseconds. The shortest wait takes more than this. */
    enum { READING_NS = 2 * 1000 };
    uint64_t own_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    uint64_t others_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns;
    if (others_ns < activity->others_ns + READING_NS)
        return false;
    activity->others_ns = others_ns;
    return true;
}
