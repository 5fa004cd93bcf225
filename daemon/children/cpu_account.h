/* What the kernel charged to a process in CPU time: what is known of it at the process' end, what a
 * capture tells of it, and how much of that was before what the capture shows. */
#ifndef PROFD_DAEMON_CPU_ACCOUNT_H
#define PROFD_DAEMON_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "json/gecko/gecko_process.h"

struct child;

/* The CPU time of a child's process; CPU_TIME_UNKNOWN where it is not known. */
struct cpu_account {
    uint64_t used_ns;    /* when it was last looked at, or … */
    bool is_final;       /* … in all */
    uint64_t at_exec_ns; /* that was used when this program became another one */
    uint64_t before_ns;  /* of it, before the session or before the process was met */
};

#define CPU_ACCOUNT_NEW                                                                            \
    ((struct cpu_account){ .used_ns = CPU_TIME_UNKNOWN, .at_exec_ns = CPU_TIME_UNKNOWN })

/* The process used USED_NS in all: the last word. */
void cpu_account_close(struct cpu_account *account, uint64_t used_ns);

/* What is known of the end of OTHER, and whether it is the last word, is ACCOUNT's. */
void cpu_account_take_end(struct cpu_account *account, const struct cpu_account *other);

/* What was used of a process' clock before the session began, or before it was met when it is older
 * than the session. All programs that a process runs share it. Makes system calls. */
uint64_t cpu_account_before(uint64_t image_start_ns, uint64_t session_start_ns, int pid);

/* Reads the clock of CHILD as it is now. What is known stays where that cannot be read,
 * and where it is the last word. */
void cpu_account_follow(struct child *child);

/* CHILD has ended, and somebody may have reaped it since: reads its clock if not. PIDFD is the
 * process'. */
void cpu_account_note_ended(struct child *child, int pidfd);

/* What a capture that shows what was since SINCE_NS (0: the whole session) tells of CHILD. Reads
 * the clock of one that lives. */
struct process_cpu_time cpu_account_of(const struct child *child, uint64_t since_ns);

#endif
