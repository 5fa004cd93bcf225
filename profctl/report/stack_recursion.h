/* Which stacks of a thread end in a call of a function by itself, at once or by way of others: what
 * such a call took is in the total of the outer one already. One thread. */
#ifndef PROFD_PROFCTL_STACK_RECURSION_H
#define PROFD_PROFCTL_STACK_RECURSION_H

#include <stdbool.h>
#include <stdint.h>

#include "profctl/tables/thread_tables.h"

/* FUNCTIONS says for each stack of TABLES which function it ends in, below FUNCTION_COUNT;
 * UNIQUE_NONE: one like no other. IS_RECURSION has room for each stack, and tells then whether one
 * of its callers is the same function. Each stack is visited once, however deep it is. Returns 0 or
 * -ENOMEM. */
int stack_recursion_mark(const struct thread_tables *tables, const uint32_t *functions,
                         uint32_t function_count, bool *is_recursion);

#endif
