#include "json/spare_pages.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* Kept are powers of two: from what a small array has, to a chunk of the JSON writer. */
enum {
    MIN_SHIFT = 12,
    MAX_SHIFT = 17,
    KINDS = MAX_SHIFT - MIN_SHIFT + 1,
    PAGE_BYTES = 1 << MIN_SHIFT,
    MAX_KEPT_BYTES = 512 * 1024, /* of each size */
    MAX_KEPT = 64,               /* mappings of each size */
};

struct spare {
    struct spare *next;
};

struct spare_pages {
    struct spare *first[KINDS];
    unsigned count[KINDS];
};

/* NULL: the thread keeps nothing. A pointer alone, since what a library that is loaded late may
 * have of thread-local storage is little. */
static __thread struct spare_pages *spares;

static size_t kind_bytes(int kind)
{
    return (size_t)PAGE_BYTES << kind;
}

static unsigned kind_max(int kind)
{
    size_t max = MAX_KEPT_BYTES / kind_bytes(kind);
    return max < MAX_KEPT ? (unsigned)max : MAX_KEPT;
}

/* The smallest that has BYTES; KINDS: those are never kept. */
static int kind_for(size_t bytes)
{
    int kind = 0;
    while (kind < KINDS && kind_bytes(kind) < bytes)
        kind++;
    return kind;
}

size_t spare_pages_round(size_t bytes)
{
    int kind = kind_for(bytes);
    return kind < KINDS ? kind_bytes(kind) : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

/* NULL: none of that size is kept. */
static void *take_spare(size_t bytes)
{
    int kind = kind_for(bytes);
    struct spare *spare = spares != NULL && kind < KINDS ? spares->first[kind] : NULL;
    if (spare == NULL)
        return NULL;
    spares->first[kind] = spare->next;
    spares->count[kind]--;
    return spare;
}

/* The kernel's are zeroed. */
static void *map_pages(size_t bytes)
{
    void *pages = mmap(NULL, spare_pages_round(bytes), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
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
    int kind = kind_for(bytes);
    if (pages == NULL)
        return;
    if (spares == NULL || kind == KINDS || spares->count[kind] == kind_max(kind)) {
        munmap(pages, spare_pages_round(bytes));
        return;
    }
    struct spare *spare = pages;
    spare->next = spares->first[kind];
    spares->first[kind] = spare;
    spares->count[kind]++;
}

void spare_pages_keep(void)
{
    if (spares == NULL)
        spares = map_pages(sizeof(*spares)); /* without memory, nothing is kept */
}

void spare_pages_release(void)
{
    if (spares == NULL)
        return;
    for (int kind = 0; kind < KINDS; kind++) {
        while (spares->first[kind] != NULL)
            munmap(take_spare(kind_bytes(kind)), kind_bytes(kind));
    }
    munmap(spares, spare_pages_round(sizeof(*spares)));
    spares = NULL;
}
