/* Has a malloc of its own in the executable, and says so when that is what it gets. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_BYTES = 16 * 1024 * 1024, HEADER_BYTES = 16 };

static _Alignas(HEADER_BYTES) uint8_t heap[HEAP_BYTES];
static size_t used_bytes;

void *malloc(size_t bytes)
{
    size_t whole = HEADER_BYTES + (bytes + HEADER_BYTES - 1) / HEADER_BYTES * HEADER_BYTES;
    size_t start = __atomic_fetch_add(&used_bytes, whole, __ATOMIC_RELAXED);
    if (bytes > HEAP_BYTES || start + whole > HEAP_BYTES)
        return NULL;
    memcpy(heap + start, &bytes, sizeof(bytes));
    return heap + start + HEADER_BYTES;
}

void free(void *memory)
{
    (void)memory;
}

void *calloc(size_t count, size_t bytes)
{
    return malloc(count * bytes); /* never used before: zero */
}

void *realloc(void *memory, size_t bytes)
{
    size_t old_bytes = 0;
    void *moved = malloc(bytes);
    if (memory != NULL)
        memcpy(&old_bytes, (uint8_t *)memory - HEADER_BYTES, sizeof(old_bytes));
    if (moved != NULL && memory != NULL)
        memcpy(moved, memory, old_bytes < bytes ? old_bytes : bytes);
    return moved;
}

int main(void)
{
    uint8_t *copy = (uint8_t *)strdup("own malloc");
    void *aligned = aligned_alloc(64, 128); /* the C library's */
    if (copy < heap || copy >= heap + HEAP_BYTES || aligned == NULL)
        return 1;
    puts((char *)copy);
    free(copy);
    free(aligned);
    return 0;
}
