/* Which calls led to where the time was spent: the tree of calls of each program, from the
 * outermost function inwards, or from where the time was spent outwards. One thread. */
#ifndef PROFD_PROFCTL_TREE_REPORT_H
#define PROFD_PROFCTL_TREE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "json/json_reader.h"
#include "profctl/convert/call_tree.h"
#include "profctl/convert/thread_stacks.h"
#include "profctl/profile/process_accounts.h"

enum tree_direction {
    TREE_CALLEES, /* program, thread, then who called whom: processes and threads of one name count
                   * together */
    TREE_CALLERS, /* functions by their own time, then who called them, the next 1,000 of those */
};

/* The current process. */
struct tree_process {
    bool is_there;  /* it has threads */
    uint32_t node;  /* of its name; CALL_TREE_NONE: callers have none */
    double told_ns; /* CPU time that its threads tell of */
};

struct tree_report {
    enum tree_direction direction;
    bool folds_recursion;        /* calls of a function by itself are one */
    bool is_by_samples;          /* the profile does not tell CPU time */
    struct thread_stacks stacks; /* has the names */
    struct call_tree tree;
    struct tree_process root, inner;
    struct mapped_array accounts; /* struct process_account, by node */
    struct mapped_array nodes;    /* uint32_t: the node of each stack of the current thread */
};

/* Reads a Gecko profile. Returns 0, -EPROTO if it is not one, -ENOMEM, or the reader's error; OUT
 * needs tree_report_free() in any case. */
int tree_report_read(struct json_reader *reader, enum tree_direction direction,
                     bool folds_recursion, struct tree_report *out);
void tree_report_free(struct tree_report *report);

/* Calls that are at least a two-hundredth of all, up to TOP below each; FILE is named. */
void tree_report_print_text(const struct tree_report *report, const char *file, uint64_t top,
                            FILE *out);
/* All of it as one line of JSON: a list of nodes that name their parents, since readers take only
 * so deep a document. Returns 0 or a negative errno. */
int tree_report_print_json(const struct tree_report *report, const char *file, FILE *out);

#endif
