/* Memory straight from the kernel, for what lives as long as the process: the program's malloc may
 * be the very thing that is being profiled, and may be broken or held. Any thread. */
#ifndef PROFD_AGENT_PAGES_H
#define PROFD_AGENT_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed, or NULL. Pages cost memory only once they are written to. */
static inline void *pages_allocate(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* Larger, perhaps elsewhere; NULL leaves PAGES as they are. PAGES may be NULL with OLD_BYTES 0. */
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
