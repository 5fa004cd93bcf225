/* Text that anybody may have made, such as names of programs and functions, for a terminal, which
 * is to obey none of it. One thread. */
#ifndef PROFD_PROFCTL_PRINTABLE_H
#define PROFD_PROFCTL_PRINTABLE_H

#include <stddef.h>

enum printable_kind {
    PRINTABLE_AS_IT_IS,
    PRINTABLE_CONTROL, /* of ASCII or C1, or one that turns the direction of writing */
    PRINTABLE_BROKEN,  /* not UTF-8 */
};

/* What TEXT, of LENGTH from 1 on, begins with: the bytes of one character, which is of *KIND. */
size_t printable_step(const char *text, size_t length, enum printable_kind *kind);

/* Replaces what cannot be shown as it is, by one '?' each. Returns TEXT, which may be shorter now.
 */
char *make_printable(char *text);

#endif
