/* Memory directly from the kernel, for what lives as long as the process: the program's malloc may
 * be what is being profiled, and may be broken or locked. Any thread. */
#ifndef PROFD_AGENT_PAGES_H
#define PROFD_AGENT_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Returns BYTES of zeroed memory, or NULL. A page costs memory only once it is written to. */
static inline void *pages_allocate(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Enlarges PAGES to BYTES, possibly at another address. Returns NULL on failure, with PAGES
 * unchanged. PAGES may be NULL if OLD_BYTES is 0. */
static inline void *pages_grow(void *pages, size_t old_bytes, size_t bytes)
{
    if (pages == NULL)
        return pages_allocate(bytes);
    void *grown = mremap(pages, old_bytes, bytes, MREMAP_MAYMOVE);
    return grown == MAP_FAILED ? NULL : grown;
}

static inline void pages_free(void *pages, size_t bytes)
{
    if (pages != NULL)
        munmap(pages, bytes);
}

#endif
