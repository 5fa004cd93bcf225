/* Texts from outside as strings of protobuf, which are UTF-8. Pure. */
#ifndef PROFD_PROFCTL_PUSH_UTF8_H
#define PROFD_PROFCTL_PUSH_UTF8_H

#include <stddef.h>

/* Copies TEXT into OUT of BYTES, terminated: what does not fit is cut off, between characters, and
 * bytes that are no UTF-8 become "?". */
void push_utf8_copy(char *out, size_t bytes, const char *text, size_t length);

#endif
