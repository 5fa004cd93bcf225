/* Names for threads that their program left without one: they have that of whoever made them.
 *
 * What such a thread is for is told by the function that it began in, where that is one of a
 * library that many programs have: Node's platform and workers, the pool of libuv. Pure. */
#ifndef PROFD_PROFCTL_THREAD_NAME_H
#define PROFD_PROFCTL_THREAD_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "profctl/tables/process_libraries.h"

/* LOCATION (LENGTH bytes) is "FUNCTION (in LIBRARY)", in which a thread began. A literal; NULL when
 * that says nothing. */
const char *thread_name_of_start(const char *location, size_t length);

/* Whether NAME is only that of the process, as PROCESS_NAME and the files among LIBRARIES are
 * called. The kernel's names are 15 bytes at most. */
bool thread_name_is_inherited(const char *name, const char *process_name,
                              const struct process_libraries *libraries);

#endif
