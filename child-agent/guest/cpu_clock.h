/* Clocks of CPU time: that of one thread, that of the process, and whether any thread but the
 * agent's has run. */
#ifndef PROFD_AGENT_CPU_CLOCK_H
#define PROFD_AGENT_CPU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "profd_threads.h"

/* Returns the kernel's CPU-time clock of one thread, for clock_read_ns(). */
clockid_t cpu_clock_of_thread(struct profd_thread_id thread);

/* Returns the thread to which the clock CLOCK belongs. No system call. */
struct profd_thread_id thread_of_cpu_clock(clockid_t clock);

/* The CPU time of all threads except the caller, when they were last found to have run. */
struct cpu_activity {
    uint64_t others_ns;
};

/* Returns whether the process's other threads have run since this last returned true. */
bool cpu_activity_since_last(struct cpu_activity *activity);

#endif
