#include "json/mapped_array.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "json/spare_pages.h"

static int grow_mapping(struct mapped_array *array, size_t bytes)
{
    void *items = array->items != NULL
                      ? mremap(array->items, array->mapped_bytes, bytes, MREMAP_MAYMOVE)
                      : spare_pages_take_zeroed(bytes);
    if (items == NULL || items == MAP_FAILED)
        return -ENOMEM;
    array->items = items;
    array->mapped_bytes = bytes;
    return 0;
}

int mapped_array_reserve(struct mapped_array *array, size_t count, size_t item_bytes)
{
    if (count <= array->capacity)
        return 0;
    size_t needed;
    if (__builtin_mul_overflow(count, item_bytes, &needed) || needed > SIZE_MAX / 4)
        return -ENOMEM;
    size_t doubled = array->mapped_bytes * 2;
    size_t bytes = spare_pages_round(needed > doubled ? needed : doubled);
    int error = grow_mapping(array, bytes);
    if (error < 0)
        return error;
    array->capacity = bytes / item_bytes;
    return 0;
}

void *mapped_array_push(struct mapped_array *array, size_t item_bytes)
{
    if (array->count == array->capacity &&
        mapped_array_reserve(array, array->count + 1, item_bytes) < 0)
        return NULL;
    return (char *)array->items + item_bytes * array->count++;
}

void mapped_array_free(struct mapped_array *array)
{
    spare_pages_give(array->items, array->mapped_bytes);
    memset(array, 0, sizeof(*array));
}

/* --- Sorting: a heap, which needs no memory but the elements --- */

struct heap {
    uint8_t *items;
    size_t item_bytes;
    bool (*is_before)(const void *a, const void *b);
};

static uint8_t *item_at(const struct heap *heap, size_t index)
{
    return heap->items + index * heap->item_bytes;
}

static void swap_items(const struct heap *heap, size_t a, size_t b)
{
    uint8_t *first = item_at(heap, a), *second = item_at(heap, b);
    for (size_t i = 0; i < heap->item_bytes; i++) {
        uint8_t kept = first[i];
        first[i] = second[i];
        second[i] = kept;
    }
}

static void sift_down(const struct heap *heap, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && heap->is_before(item_at(heap, child), item_at(heap, child + 1)))
            child++;
        if (!heap->is_before(item_at(heap, root), item_at(heap, child)))
            return;
        swap_items(heap, root, child);
    }
}

void mapped_array_sort(struct mapped_array *array, size_t item_bytes,
                       bool (*is_before)(const void *a, const void *b))
{
    const struct heap heap = { array->items, item_bytes, is_before };
    for (size_t root = array->count / 2; root > 0; root--)
        sift_down(&heap, root - 1, array->count);
    for (size_t end = array->count; end > 1; end--) {
        swap_items(&heap, 0, end - 1);
        sift_down(&heap, 0, end - 1);
    }
}
