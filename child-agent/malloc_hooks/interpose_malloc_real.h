/* The allocator behind the hooks: the next definitions of malloc and its kin, whoever's they are.
 *
 * Found at the first call, which may come before any constructor has run. What the search itself
 * allocates, and what it is asked for meanwhile, comes from a few static pages. For the hooks'
 * library only. */
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
    /* Set once the allocator was found; NULL when what has this name is not the same allocator's.
     */
    size_t (*usable_size)(void *memory);
};

/* Callable from the first moment: the functions find the allocator themselves. */
extern struct real_malloc real_malloc;

/* Looks for it, if that was not done yet. */
const struct real_malloc *real_malloc_find(void);

/* Whether that was done: some hook was called. */
bool real_malloc_was_found(void);

/* Memory that was given out during the search, and is never given back. */
bool real_malloc_is_early(const void *memory);
size_t real_malloc_early_bytes(const void *memory);

/* Whether the code at FUNCTION belongs to the allocator that malloc goes to. */
bool real_malloc_owns(const void *function);

#endif
