/* Whether a pid is still that of the process that had it: the kernel gives the pids of ended
 * processes to others, soon where many begin. Thread-safe. */
#ifndef PROFD_PROFCTL_SAME_PROCESS_H
#define PROFD_PROFCTL_SAME_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the process that had PID at SEEN_NS on CLOCK_MONOTONIC has it now. Negative
 * arguments: not known; the result is false. */
bool same_process_lives(int64_t pid, int64_t seen_ns);

#endif
