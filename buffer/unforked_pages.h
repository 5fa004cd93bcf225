/* Memory that a forked child does not get: what records for this process is of no use there, and
 * copying its page tables would make each fork dearer. A child forgets the addresses. */
#ifndef PROFD_BUFFER_UNFORKED_PAGES_H
#define PROFD_BUFFER_UNFORKED_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Zeroed, or NULL. Pages cost memory only once they are written to. */
static inline void *unforked_pages_allocate(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    (void)madvise(pages, bytes, MADV_DONTFORK); /* else a child has a copy that it cannot reach */
    return pages;
}

static inline void unforked_pages_free(void *pages, size_t bytes)
{
    if (pages != NULL)
        munmap(pages, bytes);
}

#endif
