/* All processes of the system at one moment, and which of them descend from a given one.
 *
 * Made in one pass over /proc; processes that come or go meanwhile may be missing. */
#ifndef PROFD_DAEMON_PROCESS_LIST_H
#define PROFD_DAEMON_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_sighting {
    pid_t pid, parent_pid;
    char state;        /* as in /proc/PID/stat; 0: not read, since the process is known */
    uint64_t start_ns; /* of the process, CLOCK_MONOTONIC; accurate to 10 ms */
    bool is_ours;      /* see process_list_mark() */
};

struct process_list {
    struct process_sighting *items; /* owned, in order of pid */
    size_t count, capacity;
};

/* Fills *LIST. Processes that are ours according to IS_KNOWN are not read in detail. Returns 0,
 * -ENOMEM, or an error of opendir. Free the list with process_list_free() in any case. */
int process_list_read(struct process_list *list, bool (*is_known)(pid_t pid, void *context),
                      void *context);
void process_list_free(struct process_list *list);

/* Marks the processes whose parent is ROOT or is marked; known ones are marked already. Pure. */
void process_list_mark(struct process_list *list, pid_t root);

/* Reads one process. Returns false if it is gone. */
bool process_sight(pid_t pid, struct process_sighting *out);

/* Parses TEXT, the contents of /proc/PID/stat. CLOCK_TICKS is the number of ticks per second, and
 * BOOT_NS is by how much the time since boot is ahead of CLOCK_MONOTONIC. Returns false if TEXT is
 * not valid. Pure. */
bool process_stat_parse(const char *text, uint64_t clock_ticks, uint64_t boot_ns,
                        struct process_sighting *out);

#endif
