/* The part of a frame's name that identifies its call, as in DevTools. Pure. */
#ifndef PROFD_PROFCTL_CALL_FUNCTION_H
#define PROFD_PROFCTL_CALL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the part of NAME that identifies the function: all but the column, which
 * DevTools ignores. */
size_t call_function_length(const char *name, size_t length);

/* Returns whether the function is internal to V8, so that DevTools leaves it out. */
bool call_function_is_of_runtime(const char *name, size_t length);

#endif
