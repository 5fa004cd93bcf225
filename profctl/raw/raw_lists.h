/* What the code is called that the processes of a raw capture generated: kept in it when it is
 * made, and found in it when functions are named. One thread. */
#ifndef PROFD_PROFCTL_RAW_LISTS_H
#define PROFD_PROFCTL_RAW_LISTS_H

#include "profctl/raw/raw_survey.h"
#include "profctl/symbols/jit_process.h"

/* Longer lists are left out. */
#define RAW_LIST_MAX_BYTES (UINT64_C(256) << 20)

/* Adds the lists of all processes to the raw capture in FD, which profd has just written up to its
 * TAIL, and its END. The position of FD is behind it then. Returns 0; -EPROTO with PROBLEM for what
 * is no such capture; or the error of reading or writing. */
int raw_lists_add(int fd, char problem[RAW_ERROR_BYTES]);

/* The lists that SURVEY found in FD, for jit_process_find(); borrowed. */
struct raw_list_archive {
    int fd;
    const struct raw_survey *survey;
    struct jit_archive archive;
};
void raw_list_archive_init(struct raw_list_archive *lists, int fd, const struct raw_survey *survey);

#endif
