/* Checks whether a vector of strings, as execve() takes it, can be read. The kernel answers EFAULT
 * for one that cannot, and whoever looks at it before that must not crash instead. */
#ifndef PROFD_AGENT_STRING_VECTOR_H
#define PROFD_AGENT_STRING_VECTOR_H

#include <stdbool.h>

/* Returns whether VECTOR, terminated by NULL, and all strings in it can be read at the moment; NULL
 * is an empty one. Makes a system call for each page that is met (memory_probe_x86_64.h). Any
 * thread, also in signal handlers and between vfork and exec. Preserves errno. */
bool string_vector_is_readable(char *const *vector);

#endif
