/* The CPU time that the kernel charged to a process. */
#ifndef PROFD_COMMON_PROCESS_CPU_TIME_H
#define PROFD_COMMON_PROCESS_CPU_TIME_H

#include <stdint.h>

/* No CPU time is known. */
#define CPU_TIME_UNKNOWN UINT64_MAX

/* Up to when the CPU time of a process is known. */
enum cpu_time_end {
    CPU_TIME_TO_CAPTURE, /* it lives */
    CPU_TIME_TO_END,
    CPU_TIME_TO_EXEC,        /* the next program of the process continues the clock */
    CPU_TIME_TO_LAST_RECORD, /* nobody who tells profd reaped it: at least so much, if anything */
};

/* The CPU time of a process in ns, as charged by the kernel: of all its threads and all programs
 * that it ran, without its children. */
struct process_cpu_time {
    uint64_t total_ns;  /* up to END; CPU_TIME_UNKNOWN */
    uint64_t before_ns; /* of it, before what the profile shows; CPU_TIME_UNKNOWN */
    enum cpu_time_end end;
};

#endif
