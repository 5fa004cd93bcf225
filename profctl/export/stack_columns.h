/* The stacks of one thread as columns of the table "stacks": names of frames, outermost first, and
 * their libraries. One thread. */
#ifndef PROFD_PROFCTL_STACK_COLUMNS_H
#define PROFD_PROFCTL_STACK_COLUMNS_H

#include <stdint.h>

#include "profctl/export/export_rows.h"
#include "profctl/profile/profile_walk.h"

/* A zeroed struct is empty. */
struct stack_columns {
    const struct profile_thread *thread; /* borrowed */
    struct mapped_array
        numbers;              /* uint32_t for each stack: its number in the rows, plus 1; 0: none */
    struct mapped_array path; /* uint32_t: frames of the current stack */
    struct mapped_array modules; /* uint32_t: indices of the libraries of that stack */
    struct row_writer columns;
};

/* Begins with the stacks of THREAD. Returns 0 or -ENOMEM. */
int stack_columns_begin(struct stack_columns *stacks, const struct profile_thread *thread);

/* Returns the number of STACK in ROWS; for TABLE_NONE, that of the stack without frames.
 * UNIQUE_NONE if memory is exhausted. */
uint32_t stack_columns_number(struct stack_columns *stacks, uint32_t stack,
                              struct export_rows *rows);

/* The same for the stack without frames, of no thread. */
uint32_t stack_columns_no_frames(struct stack_columns *stacks, struct export_rows *rows);

void stack_columns_free(struct stack_columns *stacks);

#endif
