/* How many different labels there may be, and values of a label or column: the first ones stay,
 * later ones become LABEL_OTHER and are counted. One thread. */
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
    struct unique_strings keys;   /* of labels, and names of columns … */
    struct mapped_array counts;   /* uint32_t: … with so many values … */
    struct unique_strings values; /* … which are these, each behind its key's number */
    uint32_t max_keys;            /* with names of columns */
    uint32_t max_values;          /* of a key */
    uint64_t folded;              /* keys and values that were not let through, each time */
};

void label_bounds_init(struct label_bounds *bounds, uint32_t max_keys, uint32_t max_values);
void label_bounds_fini(struct label_bounds *bounds);

/* Begins anew: what was common an hour ago may be gone. The count of what was folded goes on. */
void label_bounds_forget(struct label_bounds *bounds);

/* Whether a label KEY may be; otherwise it is to be called LABEL_OTHER. */
bool label_bounds_pass_key(struct label_bounds *bounds, const char *key);

/* VALUE, or LABEL_OTHER; KEY is one that may be, or a column. *LENGTH is that of what is returned.
 */
const char *label_bounds_pass(struct label_bounds *bounds, const char *key, const char *value,
                              size_t *length);

#endif
