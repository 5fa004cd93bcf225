/* Where the text of a JSON writer goes (json_sink_write): besides descriptors (json_sink_fd()),
 * files of stdio, memory, and nowhere. */
#ifndef PROFD_PROFCTL_JSON_SINKS_H
#define PROFD_PROFCTL_JSON_SINKS_H

#include <stddef.h>

/* To CONTEXT, a FILE. 0 or a negative errno. */
int json_sink_file(void *context, const char *bytes, size_t n);

/* To the end of CONTEXT, a struct mapped_array of char. 0 or -ENOMEM. */
int json_sink_memory(void *context, const char *bytes, size_t n);

/* For those who read something that others copy. CONTEXT is not used. 0. */
int json_sink_nowhere(void *context, const char *bytes, size_t n);

#endif
