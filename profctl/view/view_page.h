/* What is served of a profile besides itself: the page, and its libraries. One thread. */
#ifndef PROFD_PROFCTL_VIEW_PAGE_H
#define PROFD_PROFCTL_VIEW_PAGE_H

#include "json/json_reader.h"
#include "profctl/convert/profile_comparison.h"
#include "profctl/view/library_list.h"

struct view_page_result {
    int write_error;  /* of writing the page; 0: none */
    bool names_files; /* native functions have files that the profile itself tells of */
};

/* Reads all of READER, writes the page to PAGE_FD, with COMPARISON unless that is NULL, and adds
 * the libraries of each process to LIBRARIES. RESULT is filled in any case. 0, an error as
 * profile_walk(), or -ENOMEM; without an error of writing the profile is at fault. */
int view_page_make(struct json_reader *reader, int page_fd,
                   const struct profile_comparison *comparison, struct library_list *libraries,
                   struct view_page_result *result);

#endif
