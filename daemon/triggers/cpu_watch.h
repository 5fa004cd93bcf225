/* Which processes use more of a processor than they should, over a while, by what their clocks say
 * at looks.
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
    uint64_t since_ns, cpu_ns; /* when the while began, and its clock then */
    bool is_seen;              /* in the look that is being taken */
};

/* Zeroed: none is watched. */
struct cpu_watch {
    struct watched_process *processes; /* owned; sorted by pid but for those of this look */
    size_t count, sorted, room;
};

/* Forgets all; safe to repeat. */
void cpu_watch_free(struct cpu_watch *watch);

/* The clock of PID, which began at START_NS, says CPU_NS at NOW_NS. *IS_TOO_MUCH tells whether the
 * process has used more than RULE allows in the while that ends with this look. 0 or -ENOMEM. */
int cpu_watch_note(struct cpu_watch *watch, const struct trigger_cpu *rule, pid_t pid,
                   uint64_t start_ns, uint64_t cpu_ns, uint64_t now_ns, bool *is_too_much);

/* The look is over: who was not seen has ended. */
void cpu_watch_end_look(struct cpu_watch *watch);

#endif
