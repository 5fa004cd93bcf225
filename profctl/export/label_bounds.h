/* Limits the number of different labels, and of values of a label or column: the first ones are
 * kept, later ones become LABEL_OTHER and are counted. One thread. */
#ifndef PROFD_PROFCTL_LABEL_BOUNDS_H
#define PROFD_PROFCTL_LABEL_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json/failure_latch.h"
#include "json/unique_strings.h"

#define LABEL_OTHER "(other)"

/* Initialised by label_bounds_init(). */
struct label_bounds {
    struct failure_latch latch;
    struct unique_strings keys;   /* label keys and column names … */
    struct mapped_array counts;   /* uint32_t: … the number of their values … */
    struct unique_strings values; /* … and the values, each after the number of its key */
    uint32_t max_keys;            /* including column names */
    uint32_t max_values;          /* of a key */
    uint64_t folded;              /* keys and values replaced so far, counted each time */
};

void label_bounds_init(struct label_bounds *bounds, uint32_t max_keys, uint32_t max_values);
void label_bounds_fini(struct label_bounds *bounds);

/* Forgets all keys and values, since what was common an hour ago may be gone. The count of replaced
 * ones continues. */
void label_bounds_forget(struct label_bounds *bounds);

/* Returns whether a label may be called KEY; otherwise it is to be called LABEL_OTHER. */
bool label_bounds_pass_key(struct label_bounds *bounds, const char *key);

/* Returns VALUE or LABEL_OTHER, with its length in *LENGTH. KEY is an accepted key, or a column. */
const char *label_bounds_pass(struct label_bounds *bounds, const char *key, const char *value,
                              size_t *length);

#endif
