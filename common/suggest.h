/* "Did you mean": the known word that an unknown one was most likely meant to be. Pure. */
#ifndef PROFD_COMMON_SUGGEST_H
#define PROFD_COMMON_SUGGEST_H

#include <stddef.h>

/* One of the COUNT CANDIDATES, or NULL when none is near: few letters changed, missing, added or
 * swapped, or WORD is the beginning of it. */
const char *suggest_nearest(const char *word, const char *const *candidates, size_t count);

#endif
