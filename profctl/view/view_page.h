/* What is served of a profile besides itself: the page, and its libraries. One thread. */
#ifndef PROFD_PROFCTL_VIEW_PAGE_H
#define PROFD_PROFCTL_VIEW_PAGE_H

#include "json/json_reader.h"
#include "profctl/convert/profile_comparison.h"
#include "profctl/view/library_list.h"

/* Reads all of READER, writes the page to PAGE_FD, with COMPARISON unless that is NULL, and adds
 * the libraries of each process to LIBRARIES. 0, an error as profile_walk(), or -ENOMEM;
 * *WRITE_ERROR is that of writing the page, or 0: then the profile is at fault. */
int view_page_make(struct json_reader *reader, int page_fd,
                   const struct profile_comparison *comparison, struct library_list *libraries,
                   int *write_error);

#endif
