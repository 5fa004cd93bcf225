/* The CPU time that the kernel charged to a process: what is known of it when the process ends,
 * what a capture shows of it, and how much of it was used before the time that the capture
 * shows. */
#ifndef PROFD_DAEMON_CPU_ACCOUNT_H
#define PROFD_DAEMON_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "json/gecko/gecko_process.h"

struct child;

/* The CPU time of a child's process; CPU_TIME_UNKNOWN if it is not known. */
struct cpu_account {
    uint64_t used_ns;    /* as last read, or … */
    bool is_final;       /* … in total */
    uint64_t at_exec_ns; /* used when this program became another one */
    uint64_t before_ns;  /* of used_ns: used before the session, or before the process was met */
};

#define CPU_ACCOUNT_NEW                                                                            \
    ((struct cpu_account){ .used_ns = CPU_TIME_UNKNOWN, .at_exec_ns = CPU_TIME_UNKNOWN })

/* Sets the final CPU time: the process used USED_NS in total. */
void cpu_account_close(struct cpu_account *account, uint64_t used_ns);

/* Copies what is known of the end of OTHER, and whether it is final, to ACCOUNT. */
void cpu_account_take_end(struct cpu_account *account, const struct cpu_account *other);

/* Returns the CPU time of a process before the session began, or before the process was met if the
 * process is older than the session. All programs that a process runs share its clock. Makes system
 * calls. */
uint64_t cpu_account_before(uint64_t image_start_ns, uint64_t session_start_ns, int pid);

/* The process told, before its end, that its clock shows USED_NS. */
void cpu_account_note_told(struct cpu_account *account, uint64_t used_ns);

/* Reads the current CPU clock of CHILD. What is known does not change if the clock cannot be read,
 * or if what is known is final. */
void cpu_account_follow(struct child *child);

/* Called after the end of CHILD, which may have been reaped since: reads its clock if it was not.
 * PIDFD is the descriptor of its process. */
void cpu_account_note_ended(struct child *child, int pidfd);

/* Returns what a capture of the time since SINCE_NS (0: the whole session) shows for CHILD. Reads
 * the clock if CHILD is alive. */
struct process_cpu_time cpu_account_of(const struct child *child, uint64_t since_ns);

#endif
