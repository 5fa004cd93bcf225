/* A growing array in memory of its own mapping, for code that must not touch the program's malloc.
 *
 * Grows by mremap, so elements are rarely copied; pointers into it are invalid after a grow. A
 * zeroed struct is an empty array. One thread. */
#ifndef PROFD_JSON_MAPPED_ARRAY_H
#define PROFD_JSON_MAPPED_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped_array {
    void *items;
    size_t count;    /* elements in use; the owner counts */
    size_t capacity; /* elements that fit */
    size_t mapped_bytes;
};

/* Makes room for COUNT elements of ITEM_BYTES. New memory is zeroed. 0 or -ENOMEM, then unchanged.
 */
int mapped_array_reserve(struct mapped_array *array, size_t count, size_t item_bytes);

/* Room for one more: its address, after which the count includes it; NULL without memory. */
void *mapped_array_push(struct mapped_array *array, size_t item_bytes);

/* Sorts by IS_BEFORE, in place; which of two equal elements comes first is not said. */
void mapped_array_sort(struct mapped_array *array, size_t item_bytes,
                       bool (*is_before)(const void *a, const void *b));

/* Back to a zeroed struct. */
void mapped_array_free(struct mapped_array *array);

#endif
