/* Names for threads that the program did not name, so that they have the name of their creator.
 *
 * The purpose of such a thread is derived from its start function, if that belongs to a library
 * that many programs use: the platform and workers of Node.js, the pool of libuv. Pure. */
#ifndef PROFD_PROFCTL_THREAD_NAME_H
#define PROFD_PROFCTL_THREAD_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "profctl/tables/process_libraries.h"

/* Returns the name for a thread that began in LOCATION (LENGTH bytes), of the form "FUNCTION (in
 * LIBRARY)"; a literal, or NULL if LOCATION is not known. */
const char *thread_name_of_start(const char *location, size_t length);

/* Returns whether NAME is only inherited from the process: the same as PROCESS_NAME or a file name
 * in LIBRARIES. The kernel's names have 15 bytes at most. */
bool thread_name_is_inherited(const char *name, const char *process_name,
                              const struct process_libraries *libraries);

#endif
