/* The page that a capture is put into: the parts before and after the capture. The Makefile
 * generates both from profctl/page/. */
#ifndef PROFD_PROFCTL_PAGE_TEMPLATE_H
#define PROFD_PROFCTL_PAGE_TEMPLATE_H

#include <stddef.h>

extern const char page_before_capture[], page_behind_capture[];
extern const size_t page_before_capture_bytes, page_behind_capture_bytes;

#endif
