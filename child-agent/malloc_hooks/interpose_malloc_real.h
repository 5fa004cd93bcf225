/* The allocator behind the hooks: the next definitions of malloc and the like, from whichever
 * library.
 *
 * It is found at the first call, which may come before any constructor has run. What the search
 * itself allocates, and what is requested meanwhile, comes from a few static pages. Only for the
 * hooks' library. */
#ifndef PROFD_AGENT_INTERPOSE_MALLOC_REAL_H
#define PROFD_AGENT_INTERPOSE_MALLOC_REAL_H

#include <stdbool.h>
#include <stddef.h>

struct real_malloc {
    void *(*malloc)(size_t bytes);
    void *(*calloc)(size_t count, size_t bytes);
    void *(*realloc)(void *memory, size_t bytes);
    void (*free)(void *memory);
    void *(*aligned_alloc)(size_t alignment, size_t bytes);
    void *(*memalign)(size_t alignment, size_t bytes);
    int (*posix_memalign)(void **memory, size_t alignment, size_t bytes);
    void *(*valloc)(size_t bytes);
    void *(*pvalloc)(size_t bytes);
    /* Set once the allocator has been found. NULL if the function of this name belongs to another
     * allocator. */
    size_t (*usable_size)(void *memory);
};

/* Callable from the beginning: the functions find the allocator themselves. */
extern struct real_malloc real_malloc;

/* Looks for the allocator, unless that has been done. */
const struct real_malloc *real_malloc_find(void);

/* Returns whether that has been done, because some hook was called. */
bool real_malloc_was_found(void);

/* Memory that was allocated during the search, which is never freed; and its size. */
bool real_malloc_is_early(const void *memory);
size_t real_malloc_early_bytes(const void *memory);

/* Returns whether the code at FUNCTION belongs to the allocator that malloc calls. */
bool real_malloc_owns(const void *function);

#endif
