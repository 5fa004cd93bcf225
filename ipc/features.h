/* The list of features as people write it: names with commas between. Pure.
 *
 * What there is stands in ipc/messages.h (FEATURES). */
#ifndef PROFD_IPC_FEATURES_H
#define PROFD_IPC_FEATURES_H

#include <stdint.h>

#include "ipc/messages.h"

enum {
    FEATURE_WORD_BYTES = 64,   /* the longest word that is quoted, with its NUL */
    FEATURES_TEXT_BYTES = 1024 /* all names, with commas and a NUL */
};

/* The bits of the names in TEXT. -EINVAL for a word that names none, which is then in UNKNOWN. */
int features_parse(const char *text, uint64_t *bits, char unknown[FEATURE_WORD_BYTES]);

/* The name that WORD was most likely meant to be; NULL when none is near. */
const char *features_nearest(const char *word);

/* The names of BITS as features_parse() reads them; bits without a name are left out. Returns OUT.
 */
const char *features_format(uint64_t bits, char out[FEATURES_TEXT_BYTES]);

/* Their names as an array that ends with NULL. */
void features_names(uint64_t bits, const char *out[FEATURE_COUNT + 1]);

#endif
