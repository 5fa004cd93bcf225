/* The page that a capture is put into: what stands before it and behind it. The Makefile makes both
 * of profctl/page/. */
#ifndef PROFD_PROFCTL_PAGE_TEMPLATE_H
#define PROFD_PROFCTL_PAGE_TEMPLATE_H

#include <stddef.h>

extern const char page_before_capture[], page_behind_capture[];
extern const size_t page_before_capture_bytes, page_behind_capture_bytes;

#endif
