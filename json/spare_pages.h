/* Memory straight from the kernel, of which a thread may keep what it frees for its next use: a
 * program that writes thousands of small profiles maps and unmaps the same few pages for each.
 *
 * Threads of a profiled process keep nothing. Each thread for itself. */
#ifndef PROFD_JSON_SPARE_PAGES_H
#define PROFD_JSON_SPARE_PAGES_H

#include <stddef.h>

/* BYTES, a multiple of the page size, with anything in them. NULL without memory. */
void *spare_pages_take(size_t bytes);

/* The same, with zeros in them. */
void *spare_pages_take_zeroed(size_t bytes);

/* PAGES are of BYTES; NULL is fine. */
void spare_pages_give(void *pages, size_t bytes);

/* The calling thread begins to keep some of what it frees. */
void spare_pages_keep(void);

/* No more, and what it has kept goes back. */
void spare_pages_release(void);

#endif
