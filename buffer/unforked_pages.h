/* Memory that a forked child does not inherit. Recording state of this process is of no use to a
 * child, and copying its page tables would make every fork more expensive. A child must forget the
 * addresses. */
#ifndef PROFD_BUFFER_UNFORKED_PAGES_H
#define PROFD_BUFFER_UNFORKED_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/* Maps BYTES of zeroed memory. Returns NULL on failure. A page costs memory only once it is written
 * to. */
static inline void *unforked_pages_allocate(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    (void)madvise(pages, bytes, MADV_DONTFORK); /* otherwise a child gets a copy that it cannot
                                                 * reach */
    return pages;
}

static inline void unforked_pages_free(void *pages, size_t bytes)
{
    if (pages != NULL)
        munmap(pages, bytes);
}

#endif
