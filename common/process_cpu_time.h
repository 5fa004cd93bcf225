/* What the kernel charged to a process, as it is kept and told. */
#ifndef PROFD_COMMON_PROCESS_CPU_TIME_H
#define PROFD_COMMON_PROCESS_CPU_TIME_H

#include <stdint.h>

/* Of processor time. */
#define CPU_TIME_UNKNOWN UINT64_MAX

/* Up to when the CPU time of a process is told. */
enum cpu_time_end {
    CPU_TIME_TO_CAPTURE, /* it lives */
    CPU_TIME_TO_END,
    CPU_TIME_TO_EXEC,        /* the next program of the process continues the clock */
    CPU_TIME_TO_LAST_RECORD, /* nobody who tells profd reaped it: at least so much, if anything */
};

/* What the kernel charged to a process, in ns: all its threads, all programs that it ran, and none
 * of its children. */
struct process_cpu_time {
    uint64_t total_ns;  /* up to END; CPU_TIME_UNKNOWN */
    uint64_t before_ns; /* of it, before what the profile shows; CPU_TIME_UNKNOWN */
    enum cpu_time_end end;
};

#endif
