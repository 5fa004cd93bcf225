#include "json/mapped_array.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096 };

static int grow_mapping(struct mapped_array *array, size_t bytes)
{
    void *items;
    if (array->items == NULL)
        items = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    else
        items = mremap(array->items, array->mapped_bytes, bytes, MREMAP_MAYMOVE);
    if (items == MAP_FAILED)
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
    size_t bytes = array->mapped_bytes == 0 ? PAGE_BYTES : array->mapped_bytes * 2;
    if (bytes < needed)
        bytes = (needed + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
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
    if (array->items != NULL)
        munmap(array->items, array->mapped_bytes);
    memset(array, 0, sizeof(*array));
}
