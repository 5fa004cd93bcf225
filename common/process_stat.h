/* What the kernel tells in /proc/PID/stat. */
#ifndef PROFD_COMMON_PROCESS_STAT_H
#define PROFD_COMMON_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
    pid_t pid, parent_pid;
    char state;           /* see process_state_is_ended() */
    uint64_t start_ticks; /* since boot, of which there are sysconf(_SC_CLK_TCK) in a second */
};

/* Returns whether STATE is that of a process that has ended: it waits to be waited for ('Z'), or is
 * gone in a moment ('X'). */
static inline bool process_state_is_ended(char state)
{
    return state == 'Z' || state == 'X';
}

/* Reads the file of PID. Returns false if the process is gone. Any thread. */
bool process_stat_read(pid_t pid, struct process_stat *out);

/* Reads TEXT, the contents of such a file. Returns false if it is not valid. Pure. */
bool process_stat_of_text(const char *text, struct process_stat *out);

#endif
