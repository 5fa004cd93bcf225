#include "json/spare_pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    KINDS = 2, /* sizes that are kept: those of small arrays, and of the writer's chunks */
    SMALL_BYTES = 4096,
    LARGE_BYTES = 128 * 1024,
    MAX_SMALL = 64,
    MAX_LARGE = 4,
};

struct spare {
    struct spare *next;
};

/* Small: what a library that is loaded late may have of thread-local storage is little. */
static __thread struct {
    struct spare *first[KINDS];
    uint8_t count[KINDS];
    bool keeps;
} spares;

static const size_t kind_bytes[KINDS] = { SMALL_BYTES, LARGE_BYTES };
static const unsigned kind_max[KINDS] = { MAX_SMALL, MAX_LARGE };

/* -1: of a size that is never kept. */
static int kind_of(size_t bytes)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (kind_bytes[kind] == bytes)
            return kind;
    return -1;
}

/* NULL: none of that size is kept. */
static void *take_spare(size_t bytes)
{
    int kind = kind_of(bytes);
    struct spare *spare = kind >= 0 ? spares.first[kind] : NULL;
    if (spare == NULL)
        return NULL;
    spares.first[kind] = spare->next;
    spares.count[kind]--;
    return spare;
}

/* The kernel's are zeroed. */
static void *map_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void *spare_pages_take(size_t bytes)
{
    void *pages = take_spare(bytes);
    return pages != NULL ? pages : map_pages(bytes);
}

void *spare_pages_take_zeroed(size_t bytes)
{
    void *pages = take_spare(bytes);
    return pages != NULL ? memset(pages, 0, bytes) : map_pages(bytes);
}

void spare_pages_give(void *pages, size_t bytes)
{
    int kind = kind_of(bytes);
    if (pages == NULL)
        return;
    if (!spares.keeps || kind < 0 || spares.count[kind] == kind_max[kind]) {
        munmap(pages, bytes);
        return;
    }
    struct spare *spare = pages;
    spare->next = spares.first[kind];
    spares.first[kind] = spare;
    spares.count[kind]++;
}

void spare_pages_keep(void)
{
    spares.keeps = true;
}

void spare_pages_release(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        while (spares.first[kind] != NULL)
            munmap(spare_pages_take(kind_bytes[kind]), kind_bytes[kind]);
    }
    spares.keeps = false;
}
