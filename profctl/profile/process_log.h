/* What a profile's "profilingLog" says about a process: what became of it, what the kernel charged
 * to it, and which clock took its samples. docs/FORMAT.md says what each member means. One thread.
 */
#ifndef PROFD_PROFCTL_PROCESS_LOG_H
#define PROFD_PROFCTL_PROCESS_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"

/* How many samples lack what the kernel refused. Below 0: not told. */
struct stack_refusals {
    double unreadable; /* their stacks end early: memory could not be read */
    double unasked;    /* they have no stack: a thread could not be asked for it */
};

/* What is not told is NULL, or below 0. */
struct process_log {
    char *verdict, *outcome, *reason; /* owned */
    char *clock, *clock_refused;      /* likewise */
    char *cpu_until;                  /* likewise: up to when cpu_ms is told */
    double code;                      /* exit status or signal */
    double pid, later_images;
    double cpu_ms, cpu_before_ms;
    double cpu_at_exec_ms; /* of a program that became another one */
    double clock_interval_ms;
    double lost_blocks; /* neither kept nor dropped */
    struct stack_refusals refused;
    char *executable;       /* owned */
    char *labels;           /* likewise; PROFD_LABELS of its environment … */
    double labels_left_out; /* … but for so many labels */
    double parent_pid;
    double start_ms, end_ms;          /* on the profile's time line; NAN: not known */
    double process_start_ms;          /* likewise; of the process' first program */
    struct mapped_array command_line; /* see process_log_command_line() */
};

/* The ns of an interval that a profile gives in MS; 0 for what is no interval. */
uint64_t process_log_interval_ns(double ms);

/* What LOG is about became another program of the same process, by exec. */
bool process_log_goes_on(const struct process_log *log);

/* What the kernel had charged to the process when this program ended, or up to when it is told, in
 * ms; negative: not known. */
double process_log_charged_ms(const struct process_log *log);

/* Nobody saw the end of what LOG is about: it used cpu_ms or more. */
bool process_log_is_least(const struct process_log *log);

/* Nothing is told. */
void process_log_init(struct process_log *log);

/* Reads the value of "profilingLog", whose key was read, into LOG. Entries of other profilers are
 * passed over. Returns 0, -EPROTO, -ENOMEM, or the reader's error. */
int process_log_read(struct process_log *log, struct json_reader *reader);
void process_log_free(struct process_log *log);

/* The arguments of the process with spaces between them; NULL: not known. Valid until the log is
 * freed. */
const char *process_log_command_line(const struct process_log *log);

#endif
