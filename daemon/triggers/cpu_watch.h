/* Finds processes that use more of a processor than a rule allows over some time, by their CPU
 * clocks at successive looks.
 *
 * Pure; one thread. */
#ifndef PROFD_DAEMON_CPU_WATCH_H
#define PROFD_DAEMON_CPU_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/trigger.h"

struct watched_process {
    pid_t pid;
    uint64_t start_ns;
    uint64_t since_ns, cpu_ns; /* when the period began, and the CPU clock then */
    bool is_seen;              /* in the current look */
};

/* A zeroed one watches none. */
struct cpu_watch {
    struct watched_process *processes; /* owned; the first `sorted` are sorted by pid */
    size_t count, sorted, room;
};

/* Forgets all processes. Safe to repeat. */
void cpu_watch_free(struct cpu_watch *watch);

/* Notes that the CPU clock of PID, which started at START_NS, is at CPU_NS at NOW_NS. *IS_TOO_MUCH
 * tells whether the process has used more than RULE allows in the period that ends with this look.
 * Returns 0 or -ENOMEM. */
int cpu_watch_note(struct cpu_watch *watch, const struct trigger_cpu *rule, pid_t pid,
                   uint64_t start_ns, uint64_t cpu_ns, uint64_t now_ns, bool *is_too_much);

/* The look is over: processes that were not seen have ended and are forgotten. */
void cpu_watch_end_look(struct cpu_watch *watch);

#endif
