/* Sinks for the text of a JSON writer (json_sink_write), in addition to descriptors
 * (json_sink_fd()): stdio files, memory, and nowhere. */
#ifndef PROFD_PROFCTL_JSON_SINKS_H
#define PROFD_PROFCTL_JSON_SINKS_H

#include <stddef.h>

/* Writes to CONTEXT, a FILE. Returns 0 or a negative errno. */
int json_sink_file(void *context, const char *bytes, size_t n);

/* Appends to CONTEXT, a struct mapped_array of char. Returns 0 or -ENOMEM. */
int json_sink_memory(void *context, const char *bytes, size_t n);

/* Discards the text, for code that only reads what other code copies. CONTEXT is not used. Returns
 * 0. */
int json_sink_nowhere(void *context, const char *bytes, size_t n);

#endif
