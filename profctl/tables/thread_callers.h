/* Which stacks of a thread native code was called from. One thread. */
#ifndef PROFD_PROFCTL_THREAD_CALLERS_H
#define PROFD_PROFCTL_THREAD_CALLERS_H

#include "json/mapped_array.h"
#include "profctl/tables/thread_tables.h"

/* Fills IS_CALLER (bool, for each stack of TABLES): the address of a stack that is marked is where
 * a call returns to, which may be another line, or even another function, than the call; that of
 * any other is where the thread was. Returns 0 or -ENOMEM. */
int thread_callers_mark(const struct thread_tables *tables, struct mapped_array *is_caller);

#endif
