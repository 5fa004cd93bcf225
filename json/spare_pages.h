/* Memory straight from the kernel. A thread may keep what it frees for its next use; otherwise a
 * program that writes thousands of small profiles would map and unmap the same few pages for each.
 *
 * Threads of a profiled process keep nothing. Each thread has its own pages. */
#ifndef PROFD_JSON_SPARE_PAGES_H
#define PROFD_JSON_SPARE_PAGES_H

#include <stddef.h>

/* Returns the size that is taken when BYTES are asked for: whole pages, and up to 128 KB, which is
 * what may be kept, a power of two. */
size_t spare_pages_round(size_t bytes);

/* Returns BYTES of memory with undefined contents, at the beginning of a page. NULL: out of
 * memory. */
void *spare_pages_take(size_t bytes);

/* The same, zeroed. */
void *spare_pages_take_zeroed(size_t bytes);

/* Frees PAGES, of BYTES as they were taken, or as the mapping has been resized since; NULL is
 * allowed. */
void spare_pages_give(void *pages, size_t bytes);

/* From now on, the calling thread keeps some of what it frees. */
void spare_pages_keep(void);

/* Ends that, and frees what the calling thread has kept. */
void spare_pages_release(void);

#endif
