/* What a profile says in a few lines: the hottest functions, by process and thread, and which
 * processes were not profiled or came to no good end. All shares are of the CPU time of all
 * processes, whether any sample saw it or not.
 *
 * Processes of one name count together, and so do threads of one name in them: a build has hundreds
 * of compilers. Made by report_read(), shown by report_print_*(). One thread. */
#ifndef PROFD_PROFCTL_REPORT_H
#define PROFD_PROFCTL_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/report/report_clocks.h"
#include "profctl/report/report_fates.h"
#include "profctl/tables/process_libraries.h"
#include "profctl/tables/thread_tables.h"

/* Samples of a function, and the CPU time that they saw, in ns. */
struct function_count {
    uint64_t self, self_ns;             /* it was running */
    uint64_t total, total_ns;           /* … or what it called; recursion counts once */
    double self_squares, total_squares; /* sums of the squares of what each sample saw, in ns² */
};

/* What ended in one stack. */
struct stack_weight {
    uint64_t samples, cpu_ns;
    double squares; /* the sum of those of what each sample saw, in ns² */
};

/* How much was seen of a thread, a process, or all. */
struct report_size {
    uint64_t samples, active_samples; /* active: the thread had used CPU since its last sample */
    uint64_t ranked_samples;          /* those that functions are ranked by */
    double cpu_ns;                    /* all */
    double not_sampled_ns;            /* of it, what no sample saw */
};

/* All threads of one name in all processes of one name. */
struct report_thread {
    char *name; /* owned */
    uint64_t threads;
    struct report_size size;
    struct failure_latch latch;
    struct unique_strings functions; /* locations, as in the profile … */
    struct mapped_array counts;      /* … and the struct function_count of each */
};

/* All processes of one name that were profiled: 0 when none was. */
struct report_process {
    char *name; /* owned */
    uint64_t processes;
    struct report_size size;
    struct mapped_array threads; /* struct report_thread *, owned */
};

struct report {
    bool counts_idle; /* ranked by all samples */
    bool knows_cpu;   /* the profile tells CPU use; else every sample counts as active */
    uint64_t processes;
    struct report_size size;   /* of all, also of those that were not profiled */
    uint64_t absent_processes; /* those */
    double absent_ns;
    double lost_blocks; /* that were produced, and are neither kept nor dropped */
    struct report_clocks clocks;
    struct stack_refusals refused;
    struct mapped_array groups; /* struct report_process *, owned */
    struct report_fates fates;
};

/* Reads a Gecko profile. COUNT_IDLE ranks by all samples, not only the active ones. Returns 0,
 * -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT needs report_free() in any case. */
int report_read(struct json_reader *reader, bool count_idle, struct report *out);
void report_free(struct report *report);

/* Returns whether CPU time decides what comes first; else samples do: a thread that wakes up often
 * and does little has as many of them as a busy one. */
static inline bool report_is_by_cpu(const struct report *report)
{
    return report->knows_cpu && !report->counts_idle;
}

/* Sorts processes and threads, those with most CPU time, or ranked samples, first. */
void report_sort(struct report *report);

/* The N hottest functions of each; FILE is named in the first line. */
void report_print_text(const struct report *report, const char *file, uint64_t top, FILE *out);
/* Prints the same as one line of JSON, documented in `profctl report --help`. Returns 0 or
 * -ENOMEM. */
int report_print_json(const struct report *report, const char *file, uint64_t top, FILE *out);

/* --- Parts, for the above and for tests --- */

/* Adds one thread to THREAD: WEIGHTS has one for each of TABLES' stacks. Addresses in one of
 * LIBRARIES count as "0xOFFSET (in LIBRARY)", so that they are the same in all processes. Returns 0
 * or -ENOMEM. */
int report_count_functions(struct report_thread *thread, const struct thread_tables *tables,
                           const struct process_libraries *libraries,
                           const struct stack_weight *weights);

/* The group of that name, made if it is new; NULL: no memory. */
struct report_process *report_find_process(struct report *report, const char *name);
struct report_thread *report_find_thread(struct report_process *process, const char *name);

/* Indices of the functions of THREAD, one of REPORT's, hottest first: by self, then by total, then
 * by name. The caller frees it; NULL: no memory. */
uint32_t *report_rank_functions(const struct report *report, const struct report_thread *thread);

#endif
