/* What a profile says in a few lines: the hottest functions, by process and thread.
 *
 * Processes of one name count together, and so do threads of one name in them: a build has hundreds
 * of compilers. Made by report_read(), shown by report_print_*(). One thread. */
#ifndef PROFD_PROFCTL_REPORT_H
#define PROFD_PROFCTL_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profctl/process_libraries.h"
#include "profctl/thread_tables.h"
#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"

/* Samples of a function. */
struct function_count {
    uint64_t self;  /* it was running */
    uint64_t total; /* it was running, or waiting for what it called; recursion counts once */
};

/* How much was seen of a thread, a process, or all. */
struct report_size {
    uint64_t samples, active_samples; /* active: the thread had used CPU since its last sample */
    uint64_t ranked_samples;          /* those that functions are ranked by */
    double cpu_ns;
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

/* All processes of one name. */
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
    struct report_size size;
    struct mapped_array groups; /* struct report_process *, owned */
};

/* Reads a Gecko profile. COUNT_IDLE ranks by all samples, not only the active ones. 0, -EPROTO for
 * what is no such profile, -ENOMEM, or the reader's error; OUT needs report_free() either way. */
int report_read(struct json_reader *reader, bool count_idle, struct report *out);
void report_free(struct report *report);

/* Sorts processes and threads by their ranked samples. */
void report_sort(struct report *report);

/* The N hottest functions of each; FILE is named in the first line. */
void report_print_text(const struct report *report, const char *file, uint64_t top, FILE *out);
/* The same as one line of JSON, documented in `profctl report --help`. 0 or -ENOMEM. */
int report_print_json(const struct report *report, const char *file, uint64_t top, FILE *out);

/* --- Parts, for the above and for tests --- */

/* Adds one thread to THREAD: WEIGHTS has, for each of TABLES' stacks, how many samples ended in it.
 * Addresses in one of LIBRARIES count as "0xOFFSET (in LIBRARY)", so that they are the same in all
 * processes. 0 or -ENOMEM. */
int report_count_functions(struct report_thread *thread, const struct thread_tables *tables,
                           const struct process_libraries *libraries, const uint64_t *weights);

/* The group of that name, made when it is new; NULL: no memory. */
struct report_process *report_find_process(struct report *report, const char *name);
struct report_thread *report_find_thread(struct report_process *process, const char *name);

/* Indices of THREAD's functions, hottest first: by self, then by total, then by name. The caller
 * frees it; NULL: no memory. */
uint32_t *report_rank_functions(const struct report_thread *thread);

#endif
