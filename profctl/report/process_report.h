/* Processes by their programs: how many of each there were, how long they lived, what they cost,
 * and which were the slowest, with their command lines. One thread. */
#ifndef PROFD_PROFCTL_PROCESS_REPORT_H
#define PROFD_PROFCTL_PROCESS_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/failure_latch.h"
#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/profile/process_lives.h"

enum { PROCESS_COMMAND_MAX_BYTES = 1024 }; /* of a command line; the rest is cut */

/* All processes of one program. */
struct program_lives {
    uint32_t program;
    size_t first, count;                  /* in the report's lives */
    size_t ended;                         /* of which it is known how long they took */
    double cpu_ms;                        /* of all of which it is known; negative: of none */
    bool is_least_cpu;                    /* they used cpu_ms or more */
    double median_ms, p99_ms, longest_ms; /* on the wall; negative: none ended */
};

/* A zeroed struct is empty but for process_report_read(). */
struct process_report {
    struct failure_latch latch;
    struct unique_strings names;
    struct mapped_array lives;    /* struct process_life: by program, the longest first */
    struct mapped_array programs; /* struct program_lives: the most CPU time first */
    char *root_name, *inner_name; /* of the processes at hand, as their threads tell … */
    double root_ms, inner_ms;     /* … and what these recorded of CPU time */
};

/* Reads a Gecko profile. Returns 0, -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT
 * needs process_report_free() in any case. */
int process_report_read(struct json_reader *reader, struct process_report *out);
void process_report_free(struct process_report *report);

/* All programs, with up to TOP processes of each; FILE is named. */
void process_report_print_text(const struct process_report *report, const char *file, uint64_t top,
                               FILE *out);
/* Prints the same as one line of JSON. Returns 0 or a negative errno. */
int process_report_print_json(const struct process_report *report, const char *file, uint64_t top,
                              FILE *out);

#endif
