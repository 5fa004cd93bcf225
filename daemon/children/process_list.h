/* All processes of the system at one moment, and which of them descend from one.
 *
 * One pass over /proc; processes that come or go meanwhile may be missing. */
#ifndef PROFD_DAEMON_PROCESS_LIST_H
#define PROFD_DAEMON_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_sighting {
    pid_t pid, parent_pid;
    char state;        /* as in /proc/PID/stat; 0: it was not looked at, being known */
    uint64_t start_ns; /* of the process, CLOCK_MONOTONIC; good to a hundredth of a second */
    bool is_ours;      /* see process_list_mark() */
};

struct process_list {
    struct process_sighting *items; /* owned, in the order of their pids */
    size_t count, capacity;
};

/* Fills *LIST. Those that IS_KNOWN says are ours are not looked at more closely. 0; -ENOMEM, or the
 * errors of opendir. Free with process_list_free() on every path. */
int process_list_read(struct process_list *list, bool (*is_known)(pid_t pid, void *context),
                      void *context);
void process_list_free(struct process_list *list);

/* Marks those whose parent is ROOT or is marked, which those that are known are already. Pure. */
void process_list_mark(struct process_list *list, pid_t root);

/* One process; false when it is gone. */
bool process_sight(pid_t pid, struct process_sighting *out);

/* TEXT is what /proc/PID/stat holds, CLOCK_TICKS the number of ticks in a second, and BOOT_NS by
 * how much the time since boot is ahead of CLOCK_MONOTONIC. False when it makes no sense. Pure. */
bool process_stat_parse(const char *text, uint64_t clock_ticks, uint64_t boot_ns,
                        struct process_sighting *out);

#endif
