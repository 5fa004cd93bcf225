/* Clocks of CPU use: of one thread, of the process, and whether anyone but us has run. */
#ifndef PROFD_AGENT_CPU_CLOCK_H
#define PROFD_AGENT_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "profd_threads.h"

/* The kernel's clock of one thread's CPU use, for clock_read_ns(). */
clockid_t cpu_clock_of_thread(struct profd_thread_id thread);

/* The thread whose clock CLOCK is. No system call. */
struct profd_thread_id thread_of_cpu_clock(clockid_t clock);

/* What all threads but the caller had used when they were last found to have run. */
struct cpu_activity {
    uint64_t others_ns;
};

/* Below this, a thread only retried an interrupted system call, and counts as not having run. */
enum { CPU_NOISE_NS = 20 * 1000 };

/* Whether the process' other threads used more than the noise since this last said yes. */
bool cpu_activity_since_last(struct cpu_activity *activity);

#endif
