/* "Did you mean": the known word that an unknown one was most likely meant to be. Pure. */
#ifndef PROFD_COMMON_SUGGEST_H
#define PROFD_COMMON_SUGGEST_H

#include <stddef.h>

/* One of the COUNT CANDIDATES, or NULL if none is similar. Similar means that a few letters are
 * changed, missing, added or swapped, or that WORD is its beginning. */
const char *suggest_nearest(const char *word, const char *const *candidates, size_t count);

#endif
