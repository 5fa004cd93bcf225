/* What CPU time was spent in, as one flat table over all processes: by function, source line or
 * label, or by thread, process or program. One thread. */
#ifndef PROFD_PROFCTL_COST_TABLE_H
#define PROFD_PROFCTL_COST_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/json_reader.h"
#include "json/mapped_array.h"
#include "json/unique_strings.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/profile/process_accounts.h"
#include "profctl/report/report_by.h"

struct cost_row {
    uint32_t name;    /* of the table's */
    double pid;       /* of the last process that it is of */
    uint64_t members; /* threads or processes of that name; 0 for what stacks consist of */
    struct stack_sum self;
    struct stack_sum total; /* with what it called; recursion counts once */
};

/* The current process. */
struct cost_process {
    uint32_t row;   /* UNIQUE_NONE: it has no thread yet, or the table is not by process */
    bool is_there;  /* it has threads */
    double told_ns; /* CPU time that those tell of */
};

struct cost_table {
    enum report_by by;
    bool is_by_samples; /* the profile does not tell CPU time */
    struct failure_latch latch;
    struct unique_strings names; /* of rows, by their number until they are sorted */
    struct mapped_array rows;    /* struct cost_row; once read: the most expensive first */
    struct stack_sum all;        /* of all processes, with what no sample covers */
    struct thread_stacks stacks;
    struct cost_process root, inner;
    struct mapped_array accounts; /* struct process_account, by row */
    struct mapped_array keys;     /* uint32_t: the name of each stack of the current thread */
};

/* Reads a Gecko profile; BY is one of the kinds above. Returns 0, -EPROTO if it is not one,
 * -ENOMEM, or the reader's error; OUT needs cost_table_free() in any case. */
int cost_table_read(struct json_reader *reader, enum report_by by, struct cost_table *out);
void cost_table_free(struct cost_table *table);

/* What comes first: the most CPU time (or samples, where that is not known), the most samples, or
 * the first name or process id. */
enum cost_order { COST_BY_CPU, COST_BY_SAMPLES, COST_BY_NAME, COST_BY_PID };

/* Sorts the rows of TABLE anew. */
void cost_table_sort(struct cost_table *table, enum cost_order order);

/* The TOP most expensive rows; FILE is named. */
void cost_table_print_text(const struct cost_table *table, const char *file, uint64_t top,
                           FILE *out);
/* The same without a heading, but for one of the columns. */
void cost_table_print_rows(const struct cost_table *table, uint64_t top, FILE *out);
/* Prints the same as one line of JSON. Returns 0 or a negative errno. */
int cost_table_print_json(const struct cost_table *table, const char *file, uint64_t top,
                          FILE *out);

#endif
