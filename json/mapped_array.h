/* A growing array in its own mapping, for code that must not use the program's malloc.
 *
 * It grows by mremap, so elements are rarely copied; pointers into it are invalid after it has
 * grown. A zeroed struct is an empty array. One thread. */
#ifndef PROFD_JSON_MAPPED_ARRAY_H
#define PROFD_JSON_MAPPED_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped_array {
    void *items;
    size_t count;    /* elements in use; kept by the owner */
    size_t capacity; /* elements that fit */
    size_t mapped_bytes;
};

/* Makes room for COUNT elements of ITEM_BYTES; new memory is zeroed. Returns 0, or -ENOMEM: then
 * the array is unchanged. */
int mapped_array_reserve(struct mapped_array *array, size_t count, size_t item_bytes);

/* Adds an element, which the count then includes, and returns its address; NULL: out of memory. */
void *mapped_array_push(struct mapped_array *array, size_t item_bytes);

/* Sorts by IS_BEFORE, in place. The order of equal elements is unspecified. */
void mapped_array_sort(struct mapped_array *array, size_t item_bytes,
                       bool (*is_before)(const void *a, const void *b));

/* Frees the memory and zeroes the struct. */
void mapped_array_free(struct mapped_array *array);

#endif
