/* Makes text from anywhere, such as names of programs and functions, safe for a terminal, so that
 * the terminal does not interpret any of it. One thread. */
#ifndef PROFD_PROFCTL_PRINTABLE_H
#define PROFD_PROFCTL_PRINTABLE_H

#include <stddef.h>

enum printable_kind {
    PRINTABLE_AS_IT_IS,
    PRINTABLE_CONTROL, /* an ASCII or C1 control, or a change of writing direction */
    PRINTABLE_BROKEN,  /* not UTF-8 */
};

/* Returns the length in bytes of the first character of TEXT, which has LENGTH bytes, at least 1.
 * *KIND is the kind of the character. */
size_t printable_step(const char *text, size_t length, enum printable_kind *kind);

/* Replaces each character that cannot be shown by '?'. Returns TEXT, which may have become
 * shorter. */
char *make_printable(char *text);

#endif
