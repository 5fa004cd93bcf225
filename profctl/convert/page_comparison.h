/* The part of a page that compares the profile with another one, function by function. One
 * thread. */
#ifndef PROFD_PROFCTL_PAGE_COMPARISON_H
#define PROFD_PROFCTL_PAGE_COMPARISON_H

#include "profctl/convert/page_stream.h"
#include "profctl/convert/profile_comparison.h"

/* Writes the record PAGE_COMPARISON (page_record.h). Returns 0 or the stream's first error. */
int page_put_comparison(struct page_stream *stream, const struct profile_comparison *comparison);

#endif
