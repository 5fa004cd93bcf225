/* What ClickHouse's exceptions are about, by their numbers. Pure. */
#ifndef PROFD_PROFCTL_EXCEPTION_CODES_H
#define PROFD_PROFCTL_EXCEPTION_CODES_H

#include <stdbool.h>

/* Returns the number in TEXT, which has "Code: N" in it; 0: it has none. */
unsigned exception_code_read(const char *text);

/* Returns whether the exception CODE, of which the server said TEXT, is about the state of the
 * server or the rights of who asks: the same request may succeed later. Exceptions that are not
 * known are about the request. */
bool exception_passes(unsigned code, const char *text);

#endif
