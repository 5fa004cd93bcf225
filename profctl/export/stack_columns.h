/* The stacks of one thread as columns of the table "stacks": names of frames from the outermost
 * on, and the libraries that they are in. One thread. */
#ifndef PROFD_PROFCTL_STACK_COLUMNS_H
#define PROFD_PROFCTL_STACK_COLUMNS_H

#include <stdint.h>

#include "profctl/export/export_rows.h"
#include "profctl/profile/profile_walk.h"

/* A zeroed struct is empty. */
struct stack_columns {
    const struct profile_thread *thread; /* borrowed */
    struct mapped_array
        numbers;              /* uint32_t of each stack: its number of the rows, and 1; 0: none */
    struct mapped_array path; /* uint32_t: frames of the stack at hand */
    struct mapped_array modules; /* uint32_t: of that stack, places among the libraries */
    struct row_writer columns;
};

/* From here on stacks are THREAD's. 0 or -ENOMEM. */
int stack_columns_begin(struct stack_columns *stacks, const struct profile_thread *thread);

/* The number in ROWS of STACK; of TABLE_NONE that of the stack without frames. UNIQUE_NONE: no
 * memory. */
uint32_t stack_columns_number(struct stack_columns *stacks, uint32_t stack,
                              struct export_rows *rows);

void stack_columns_free(struct stack_columns *stacks);

#endif
