/* What of a frame's name its call is known by, as DevTools has it. Pure. */
#ifndef PROFD_PROFCTL_CALL_FUNCTION_H
#define PROFD_PROFCTL_CALL_FUNCTION_H

#include <stdbool.h>
#include <stddef.h>

/* How much of NAME tells the function: all but the column, of which DevTools takes no notice. */
size_t call_function_length(const char *name, size_t length);

/* Whether that is an inside of V8, which DevTools leaves out. */
bool call_function_is_of_runtime(const char *name, size_t length);

#endif
