/* How many processes of each program are alive, and how the others ended.
 *
 * How a process ended may become known only later, through its pidfd (from Linux 6.15 on) or from
 * its parent; until then it is not counted, and after a while it counts as vanished. One thread. */
#ifndef PROFD_DAEMON_PROCESS_COUNTS_H
#define PROFD_DAEMON_PROCESS_COUNTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/metrics/label_sets.h"
#include "json/mapped_array.h"

enum {
    PROCESS_COUNTS_MOST_PROGRAMS = 128,
    PROCESS_COUNTS_MOST_WAITING = 1024, /* ends whose manner is unknown; the oldest gives way */
    PROCESS_COUNTS_MOST_DESCRIPTORS = 512,
};

/* How long to wait for the parent's report. A process that has not been reaped is waited for
 * longer. */
#define PROCESS_COUNTS_PATIENCE_NS UINT64_C(5000000000)

/* How a process ended, as the metrics report it. */
enum process_end {
    PROCESS_END_EXITED, /* with status 0 */
    PROCESS_END_FAILED, /* with another */
    PROCESS_END_KILLED,
    PROCESS_END_EXECED,   /* it became another program */
    PROCESS_END_VANISHED, /* how is not known */
    PROCESS_ENDS
};
/* The value of the label. */
const char *process_end_name(enum process_end end);

/* VERDICT (enum process_verdict) with its CODE. Pure. */
enum process_end process_end_of(unsigned verdict, int code);

struct program_count {
    uint64_t living;
    uint64_t ended[PROCESS_ENDS];
};

struct waiting_end {
    uint32_t program;
    pid_t pid;
    uint64_t start_ns;
    uint64_t since_ns; /* the end */
    int pidfd;         /* owned; -1: only its parent can tell */
};

struct process_counts {
    struct label_sets programs;
    struct mapped_array counts; /* struct program_count, by the index of the program */
    struct waiting_end waiting[PROCESS_COUNTS_MOST_WAITING]; /* the oldest first */
    size_t waiting_count, descriptors;
};

/* 0 or -ENOMEM. Needs process_counts_fini() either way. */
int process_counts_init(struct process_counts *counts);
/* Frees it, and closes descriptors. */
void process_counts_fini(struct process_counts *counts);

/* Begins a look: living processes are then counted again, one by one. */
void process_counts_begin_look(struct process_counts *counts);
void process_counts_add_living(struct process_counts *counts, const char *program);

/* A process of PROGRAM has ended in the manner END. */
void process_counts_add_end(struct process_counts *counts, const char *program,
                            enum process_end end);

/* A process that has ended; how is not known yet. PIDFD is taken over; -1: none. */
struct ended_process {
    pid_t pid;
    uint64_t start_ns, end_ns;
    int pidfd;
};
void process_counts_await_end(struct process_counts *counts, const char *program,
                              const struct ended_process *process);

/* It was reported how PID, which started at START_NS (0: not known), ended. Has no effect if its
 * end is not awaited. */
void process_counts_note_end(struct process_counts *counts, pid_t pid, uint64_t start_ns,
                             enum process_end end);

/* Asks the kernel how those that are awaited ended, and gives up those that have waited too long at
 * NOW_NS. */
void process_counts_learn(struct process_counts *counts, uint64_t now_ns);

/* The counts of the program at INDEX, which is below the number of programs. */
const struct program_count *process_counts_get(const struct process_counts *counts, uint32_t index);

#endif
