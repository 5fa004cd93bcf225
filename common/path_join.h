/* Two parts of a path put together; no slash is added. Pure.
 *
 * Without snprintf(), which would bring pages of code and tables of the C library into each process
 * that an agent begins in, and which may live for a millisecond. */
#ifndef PROFD_COMMON_PATH_JOIN_H
#define PROFD_COMMON_PATH_JOIN_H

#include <stddef.h>

/* Puts FIRST and SECOND behind each other into the ROOM bytes of OUT. Returns 0, or -ENAMETOOLONG
 * with OUT empty. */
int path_join(char *out, size_t room, const char *first, const char *second);

#endif
